package dev.holdfast.lock.tck.arch.broken;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.holdfast.lock.internal.Names;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** One violation of each rule; in a package that is not even marked for nullness. */
public class Broken {
    /** Not final. */
    public Broken() {}

    /** Shows a type of a library. */
    public static List<JavaClass> vendor() {
        return List.of();
    }

    long clock() {
        return System.nanoTime() + Instant.now().toEpochMilli();
    }

    void sleep() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(0);
    }

    void print() {
        System.out.println(Names.check("internal"));
    }

    void generic() throws Exception {
        throw new Exception("which?");
    }

    static final class ALock extends ReentrantLock {
        private static final long serialVersionUID = 1L;
    }

    abstract static class SomeChecks {
        @Test
        void neitherFinalNorOfARule() {}
    }
}
