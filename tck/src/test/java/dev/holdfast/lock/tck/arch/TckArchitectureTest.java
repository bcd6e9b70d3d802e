package dev.holdfast.lock.tck.arch;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.holdfast.lock.tck.LockProviderTck;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TckArchitectureTest {
    @Test
    void rules() {
        HoldfastRules.application(LockProviderTck.class).check(40);
        HoldfastRules.checksAreFinalAndCiteARule()
                .check(new ClassFileImporter()
                        .importUrl(LockProviderTck.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()));
    }

    @Test
    void publicApi() {
        ApiListing.verify(LockProviderTck.class, Path.of("api.txt"));
    }
}
