package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.BackendException.Kind;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisErrorsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            REFUSED     | WRONGPASS invalid username-password pair or user is disabled.
            REFUSED     | NOAUTH Authentication required.
            REFUSED     | NOPERM User x has no permissions to run the 'evalsha' command
            REFUSED     | NOPERM ACL failure in script: User x has no permissions to access the 'set' command script: 0a, on @user_script:1.
            REFUSED     | READONLY You can't write against a read only replica. script: 0a, on @user_script:1.
            REFUSED     | ERR Error running script (call to f_0a): @user_script:1: -READONLY You can't write against a read only replica.
            REFUSED     | WRONGTYPE Operation against a key holding the wrong kind of value
            REFUSED     | ERR Error running script (call to f_0a): @user_script: 14: WRONGTYPE Operation against a key
            REFUSED     | ERR value is not an integer or out of range
            REFUSED     | MOVED 3999 127.0.0.1:6381
            REFUSED     | CROSSSLOT Keys in request don't hash to the same slot
            REFUSED     | ERR DB index is out of range
            REFUSED     | DENIED Redis is running in protected mode
            UNAVAILABLE | LOADING Redis is loading the dataset in memory
            UNAVAILABLE | BUSY Redis is busy running a script.
            UNAVAILABLE | TRYAGAIN Multiple keys request during rehashing of slot
            UNAVAILABLE | MASTERDOWN Link with MASTER is down
            UNAVAILABLE | CLUSTERDOWN The cluster is down
            UNAVAILABLE | NOREPLICAS Not enough good replicas to write.
            UNAVAILABLE | OOM command not allowed when used memory > 'maxmemory'. script: 0a, on @user_script:1.
            UNAVAILABLE | ERR Error running script (call to f_0a): @user_script:1: -OOM command not allowed when used memory > 'maxmemory'.
            UNAVAILABLE | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.
            UNAVAILABLE | ERR max number of clients reached
            """)
    void tellsWhatTryingAgainIsWorth(Kind kind, String error) {
        BackendException e = RedisErrors.answered("h:1", "acquire", error, new IOException("cause"));
        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e)
                .hasMessageContaining("h:1")
                .hasMessageContaining("acquire")
                .hasMessageContaining(error);
    }
}
