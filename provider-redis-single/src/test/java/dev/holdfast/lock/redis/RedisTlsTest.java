package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.ReleaseOutcome;
import dev.holdfast.lock.spi.AcquireResult;
import dev.holdfast.lock.spi.BackendException;
import dev.holdfast.lock.spi.BackendException.Kind;
import dev.holdfast.lock.spi.LockBackend;
import dev.holdfast.lock.spi.ReleaseSignals;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisTlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path dir;

    /** A key and its self-signed certificate, as files in PEM form. */
    private record Identity(String certificate, String key) {
        static Identity create(String name, String type, String hosts) throws Exception {
            Path store = dir.resolve(name + ".p12");
            if (!Files.exists(store)) {
                Process keytool = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "it",
                                "-keyalg",
                                type,
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=" + hosts,
                                "-validity",
                                "2",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD)
                        .inheritIO()
                        .start();
                assertThat(keytool.waitFor()).isZero();
            }
            KeyStore loaded = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                loaded.load(in, PASSWORD.toCharArray());
            }
            Key key = loaded.getKey("it", PASSWORD.toCharArray());
            return new Identity(
                    pem(
                            name + ".crt",
                            "CERTIFICATE",
                            loaded.getCertificate("it").getEncoded()),
                    pem(name + ".key", "PRIVATE KEY", key.getEncoded()));
        }

        private static String pem(String file, String what, byte[] content) throws IOException {
            return Files.writeString(
                            dir.resolve(file),
                            "-----BEGIN " + what + "-----\n"
                                    + Base64.getMimeEncoder().encodeToString(content)
                                    + "\n-----END " + what + "-----\n")
                    .toString();
        }
    }

    private static TestServer server(Identity server, Identity client, boolean asksClients) throws Exception {
        return TestServer.withFiles(
                Map.of(
                        "/tls/server.crt", Files.readString(Path.of(server.certificate())),
                        "/tls/server.key", Files.readString(Path.of(server.key())),
                        "/tls/ca.crt", Files.readString(Path.of(client.certificate()))),
                "--port",
                "0",
                "--tls-port",
                "6379",
                "--tls-cert-file",
                "/tls/server.crt",
                "--tls-key-file",
                "/tls/server.key",
                "--tls-ca-cert-file",
                "/tls/ca.crt",
                "--tls-auth-clients",
                asksClients ? "yes" : "no");
    }

    private static LockBackend open(TestServer server, String query) throws BackendException {
        return new RedisLockProvider()
                .open(
                        LockOptions.parse("redis://localhost:" + server.port() + query + "&operation-timeout=1500ms"),
                        Wait.TIME);
    }

    private static BackendException fails(TestServer server, String query) {
        return catchThrowableOfType(BackendException.class, () -> open(server, query));
    }

    @Test
    void connectionsAreSecured() throws Exception {
        Identity own = Identity.create("server", "RSA", "dns:localhost");
        Identity foreign = Identity.create("foreign", "RSA", "dns:localhost");
        try (TestServer server = server(own, own, false)) {
            LockBackend backend = open(server, "?tls=true&tls-ca=" + own.certificate());
            AtomicInteger signals = new AtomicInteger();
            ((ReleaseSignals) backend).subscribe("x", signals::incrementAndGet, Wait.inMillis(3000));
            AcquireResult.Granted granted =
                    (AcquireResult.Granted) backend.acquire(TestAttempt.of("x"), Wait.inMillis(3000));
            Wait.pass(Duration.ofMillis(600));
            assertThat(granted.hold().release(Wait.inMillis(3000))).isEqualTo(ReleaseOutcome.RELEASED);
            Wait.until("a signal", () -> signals.get() == 1);
            backend.close();

            BackendException untrusted = fails(server, "?tls=true&tls-ca=" + foreign.certificate());
            assertThat(untrusted.kind()).isEqualTo(Kind.REFUSED);
            assertThat(untrusted).hasMessageContaining("no TLS connection");
            assertThat(fails(server, "?tls=true").kind()).isEqualTo(Kind.REFUSED);
            BackendException plain = fails(server, "?tls=false");
            assertThat(plain.kind()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(plain).hasMessageContaining("tls=true");
        }
    }

    @Test
    void aServerOfAnotherNameIsRefused() throws Exception {
        Identity other = Identity.create("other", "RSA", "dns:elsewhere.example");
        try (TestServer server = server(other, other, false)) {
            assertThat(fails(server, "?tls=true&tls-ca=" + other.certificate()).kind())
                    .isEqualTo(Kind.REFUSED);
        }
    }

    @Test
    void aServerThatAsksForACertificateGetsIt() throws Exception {
        Identity own = Identity.create("server", "RSA", "dns:localhost");
        for (String type : new String[] {"RSA", "EC"}) {
            Identity client = Identity.create("client-" + type, type, "dns:client");
            try (TestServer server = server(own, client, true)) {
                String trust = "?tls=true&tls-ca=" + own.certificate();
                open(server, trust + "&tls-cert=" + client.certificate() + "&tls-key=" + client.key())
                        .close();
                BackendException without = fails(server, trust);
                assertThat(without.kind()).as("%s", without.getMessage()).isEqualTo(Kind.REFUSED);
                assertThat(without).hasMessageContaining("no TLS connection");
            }
        }
    }

    @Test
    void aPlainServerIsToldApart() throws Exception {
        Identity own = Identity.create("server", "RSA", "dns:localhost");
        assertThat(fails(TestServer.shared(), "?tls=true&tls-ca=" + own.certificate())
                        .kind())
                .isNotEqualTo(Kind.UNCLEAR);
    }

    @Test
    void aHandshakeThatHangsEndsInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            long from = Wait.TIME.nanoTime();
            BackendException e = catchThrowableOfType(
                    BackendException.class,
                    () -> new RedisLockProvider()
                            .open(
                                    LockOptions.parse("redis://127.0.0.1:" + silent.getLocalPort()
                                            + "?tls=true&operation-timeout=300ms"),
                                    Wait.TIME));
            assertThat(e.kind()).as("%s", e.getMessage()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(Wait.since(from)).isLessThan(Duration.ofMillis(500));
        }
    }
}
