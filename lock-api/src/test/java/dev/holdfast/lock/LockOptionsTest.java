package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LockOptionsTest {
    private static final Option<Duration> PAUSE =
            Option.duration("pause", Duration.ofSeconds(1), Duration.ofMillis(5), Duration.ofMinutes(1), "a pause");
    private static final Option<Integer> SIZE = Option.number("size", 4, 1, 64, "a size");
    private static final Option<String> PIN = Option.text("pin", "", "a pin").asSecret();

    @Test
    void readsEveryPart() {
        LockOptions o = LockOptions.parse(
                "redis://al%40ice:p%2Fw@one:7000,two,[::1]:7001/a/b%20c?namespace=shop&pause=250ms&note=x%26y+z");
        assertThat(o.scheme()).isEqualTo("redis");
        assertThat(o.user()).contains("al@ice");
        assertThat(o.password()).contains("p/w");
        assertThat(o.hosts(6379))
                .containsExactly(
                        InetSocketAddress.createUnresolved("one", 7000),
                        InetSocketAddress.createUnresolved("two", 6379),
                        InetSocketAddress.createUnresolved("::1", 7001));
        assertThat(o.path()).isEqualTo("a/b c");
        LockOptions.Reader in = o.reader(List.of(PAUSE, Option.text("note", "", "")));
        assertThat(in.get(LockOptions.NAMESPACE)).isEqualTo("shop");
        assertThat(in.get(PAUSE)).isEqualTo(Duration.ofMillis(250));
        assertThat(in.get(Option.text("note", "", ""))).isEqualTo("x&y+z");
        in.finish();
    }

    @Test
    void readsTheShortForms() {
        assertThat(LockOptions.parse("memory:").scheme()).isEqualTo("memory");
        assertThat(LockOptions.parse("memory:?fair=true").hosts(1)).isEmpty();
        assertThat(LockOptions.parse("//host:1").scheme()).isEmpty();
        assertThat(LockOptions.parse("redis://:secret@h").password()).contains("secret");
    }

    @Test
    void reportsAllProblemsTogether() {
        LockConfigurationException e = catchThrowableOfType(
                LockConfigurationException.class,
                () -> LockOptions.parse("redis://u:%zz@ho st:99999,b:0/%?namespace=a&namespace=b&noequals"));
        assertThat(e.problems()).hasSize(6);
        LockOptions.Reader in = LockOptions.parse(
                        "redis://h?pause=1h&size=many&sise=3&namespace=a:b&operation-timeout=5")
                .reader(List.of(PAUSE, SIZE));
        in.get(LockOptions.NAMESPACE);
        in.get(LockOptions.OPERATION_TIMEOUT);
        in.get(PAUSE);
        in.get(SIZE);
        in.require(false, "and one more");
        assertThatThrownBy(in::finish)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining(
                        "unknown option \"sise\"; redis has namespace, operation-timeout, close-timeout, pause, size")
                .hasMessageContaining("option pause is \"1h\"; expected 5ms to 60s")
                .hasMessageContaining("option size is \"many\"; expected a whole number from 1 to 64")
                .hasMessageContaining("option namespace is \"a:b\"; expected at most 64 characters")
                .hasMessageContaining("option operation-timeout is \"5\"; expected a duration")
                .hasMessageContaining("and one more");
    }

    @Test
    void showsNoSecret() {
        String uri = "redis://ann:hunter2@h:1/0?tls-password=hunter2&pin=hunter2x";
        LockOptions o = LockOptions.parse(uri);
        assertThat(o).hasToString("redis://ann:***@h:1/0?pin=hunter2x&tls-password=***");
        Option<String> pin = Option.of(
                "pin",
                "",
                text -> {
                    throw new IllegalArgumentException("expected digits");
                },
                "a pin");
        LockOptions.Reader in = o.reader(List.of(pin.asSecret(), Option.text("tls-password", "", "")));
        in.get(pin.asSecret());
        assertThatThrownBy(in::finish)
                .hasMessageContaining("expected digits")
                .satisfies(e -> assertThat(((LockConfigurationException) e).problems())
                        .allSatisfy(p -> assertThat(p).doesNotContain("hunter2")));
        for (String bad : List.of(
                "redis://ann:hunter2",
                "redis://ann:hunter2/@h",
                "redis://ann:hunter2?@h",
                "ann:hunter2@h",
                "redis://h:hunter2,@")) {
            assertThat(shown(bad)).as(bad).doesNotContain("hunter2");
        }
        assertThat(PIN.isSecret()).isTrue();
    }

    @Test
    void anOptionThatAProviderCallsSecretIsNotShownOnceItIsKnown() {
        Option<String> pin = Option.text("pin", "", "a pin").asSecret();
        LockOptions options = LockOptions.parse("redis://h?pin=hunter2&unknown=1");
        LockOptions.Reader in = options.reader(List.of(pin));
        assertThatThrownBy(in::finish).satisfies(e -> assertThat(e.toString()).doesNotContain("hunter2"));
        assertThat(options.toString()).doesNotContain("hunter2");
        assertThat(options.withScheme("other").toString()).doesNotContain("hunter2");
    }

    @Test
    void aPasswordThatIsNotEncodedIsNotShown() {
        for (String uri : List.of(
                "redis://u:12/hunter2@h",
                "redis://u:12?hunter2=1@h",
                "redis://u:12?a=hunter2@h",
                "redis://u/hunter2@h")) {
            assertThat(shown(uri)).as(uri).doesNotContain("hunter2");
        }
    }

    @Test
    void onlyAnAddressGoesInBrackets() {
        for (String host : List.of("::1", "fe80::1%eth0", "::ffff:10.0.0.1")) {
            LockOptions o = LockOptions.parse("redis://[" + host + "]:1");
            assertThat(o.hosts(1)).containsExactly(InetSocketAddress.createUnresolved(host, 1));
            assertThat(LockOptions.parse(o.toString()).hosts(1)).isEqualTo(o.hosts(1));
        }
        for (String host : List.of("%", ".%", "1", "", "host")) {
            assertThatThrownBy(() -> LockOptions.parse("redis://[" + host + "]"))
                    .as(host)
                    .isInstanceOf(LockConfigurationException.class);
        }
    }

    private static String shown(String uri) {
        try {
            return LockOptions.parse(uri).toString();
        } catch (LockConfigurationException e) {
            return e.toString();
        }
    }

    /** Any text is read or refused with the documented exception, and what was read can be written and read again. */
    @Test
    void survivesAnyText() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String alphabet = "redis:/@?&=,[]%.0123456789abc-_ \u00e9\ud83d\ude00\u0000#+'\";\\";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "" : "redis://");
            for (int n = random.nextInt(30); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            LockOptions o;
            try {
                o = LockOptions.parse(text.toString());
            } catch (LockConfigurationException e) {
                continue;
            }
            if (o.password().isEmpty() && !o.toString().contains("***")) {
                LockOptions again = LockOptions.parse(o.toString());
                assertThat(again).as("seed %d: %s", seed, text).hasToString(o.toString());
                assertThat(again.hosts(1)).isEqualTo(o.hosts(1));
                assertThat(again.path()).isEqualTo(o.path());
                assertThat(again.user()).isEqualTo(o.user());
            }
        }
    }
}
