package dev.holdfast.lock.tck.arch;

import dev.holdfast.lock.LockClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The rules of lock-api are checked here, since the kit is built after it. */
class LockApiArchitectureTest {
    @Test
    void rules() {
        HoldfastRules.lockApi(LockClient.class).check(50);
    }

    @Test
    void publicApi() {
        ApiListing.verify(LockClient.class, Path.of("../lock-api/api.txt"));
    }
}
