package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.spi.LockProvider;
import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LockProvidersTest {
    /** Searches with a context class loader that answers in its own way. */
    private static LockConfigurationException search(ClassLoader loader) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            assertThat(LockProviders.all()).extracting(LockProvider::scheme).contains("memory");
            return catchThrowableOfType(LockConfigurationException.class, () -> LockProviders.open("nobody://h"));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void discoveryEndsAlsoIfAClassLoaderCannotBeRead() {
        LockConfigurationException e = search(new ClassLoader(LockProvidersTest.class.getClassLoader()) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                throw new IOException("cannot be read");
            }
        });
        assertThat(e).hasMessageContaining("cannot be read");
        assertThat(e.problems()).hasSizeLessThan(10);
    }

    @Test
    void aProviderThatCannotBeLinkedDoesNotHideTheOthers() {
        LockConfigurationException e = search(new ClassLoader(LockProvidersTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.endsWith("MemoryLockProvider")) {
                    throw new UnsupportedClassVersionError("made for a later Java");
                }
                return super.loadClass(name, resolve);
            }
        });
        assertThat(e).hasMessageContaining("made for a later Java");
    }
}
