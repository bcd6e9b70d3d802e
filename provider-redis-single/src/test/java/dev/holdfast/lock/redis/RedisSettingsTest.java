package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.redis.RedisSettings.Assumption;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisSettingsTest {
    private static LockConfigurationException refused(String uri) {
        return catchThrowableOfType(LockConfigurationException.class, () -> RedisSettings.read(LockOptions.parse(uri)));
    }

    @Test
    void readsAll() {
        RedisSettings s = RedisSettings.read(
                LockOptions.parse(
                        "redis://u:p%40ss@h/3?pool-size=4&assume=noeviction,no-failover&tls=true&namespace=n&operation-timeout=500ms"));
        assertThat(s.server()).isEqualTo("h:6379");
        assertThat(s.database()).isEqualTo(3);
        assertThat(s.user()).contains("u");
        assertThat(s.password()).contains("p@ss");
        assertThat(s.poolSize()).isEqualTo(4);
        assertThat(s.assume()).containsExactlyInAnyOrder(Assumption.NOEVICTION, Assumption.NO_FAILOVER);
        assertThat(s.tls()).isPresent();
        assertThat(s.namespace()).isEqualTo("n");
        assertThat(s.operationTimeout()).isEqualTo(500_000_000);
        assertThat(s.toString()).doesNotContain("p@ss");
    }

    @Test
    void reportsAllProblemsTogetherAndNoSecret() {
        LockConfigurationException e = refused(
                "redis://:geheim@a,b/x?pool-size=0&assume=luck&tls-ca=/nowhere&tls-key=/no&nonsense=1&operation-timeout=1h");
        assertThat(e.problems()).hasSize(8);
        assertThat(e)
                .hasMessageContaining("locks on one server")
                .hasMessageContaining("number of a database")
                .hasMessageContaining("pool-size is \"0\"")
                .hasMessageContaining("appendfsync-always, noeviction, no-failover")
                .hasMessageContaining("need tls=true")
                .hasMessageContaining("go together")
                .hasMessageContaining("unknown option \"nonsense\"")
                .hasMessageContaining("operation-timeout")
                .hasMessageNotContaining("geheim");
    }

    @Test
    void needsOneHostAndAPasswordForAUser() {
        assertThat(refused("redis:").problems()).singleElement().asString().contains("there is no host");
        assertThat(refused("redis://u@h").problems()).singleElement().asString().contains("user without a password");
    }

    @Test
    void namesATlsFileThatCannotBeUsed(@TempDir Path dir) throws Exception {
        Path file = Files.writeString(dir.resolve("ca.pem"), "nothing");
        assertThat(refused("redis://h?tls=true&tls-ca=" + file).problems())
                .singleElement()
                .asString()
                .contains("no certificate in PEM form in " + file);
        assertThat(refused("redis://h?tls=true&tls-ca=/nowhere/ca.pem").problems())
                .singleElement()
                .asString()
                .contains("cannot read /nowhere/ca.pem");
    }

    @Test
    void onAClientOnlyWhatItDoesNotDecide() {
        LockConfigurationException e = catchThrowableOfType(
                LockConfigurationException.class,
                () -> RedisSettings.readForClient(LockOptions.parse("redis://h/1?pool-size=3")));
        assertThat(e.problems()).hasSize(2);
        assertThat(RedisSettings.readForClient(LockOptions.parse("redis:?assume=noeviction&namespace=n"))
                        .namespace())
                .isEqualTo("n");
    }
}
