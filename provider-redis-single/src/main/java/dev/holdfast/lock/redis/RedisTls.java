package dev.holdfast.lock.redis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Makes a TLS context from PEM files. */
final class RedisTls {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> KEY_TYPES = List.of("RSA", "EC", "Ed25519");

    private RedisTls() {}

    /**
     * Reads the files.
     *
     * @param authorities certificates to trust; empty for Java's own
     * @param certificate this client's certificate and those between it and an authority; empty for none
     * @param key its key
     * @throws IOException whose message says what is wrong with which file, without its content
     */
    static SSLContext context(String authorities, String certificate, String key) throws IOException {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            KeyStore trusted = null;
            if (!authorities.isEmpty()) {
                trusted = empty();
                int number = 0;
                for (Certificate authority : certificates(authorities)) {
                    trusted.setCertificateEntry("authority-" + number++, authority);
                }
            }
            trust.init(trusted);
            KeyStore identity = empty();
            if (!certificate.isEmpty()) {
                identity.setKeyEntry("client", key(key), new char[0], certificates(certificate));
            }
            own.init(identity, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the TLS files cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Certificate[] certificates(String file) throws IOException {
        try {
            Certificate[] all = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(read(file)))
                    .toArray(Certificate[]::new);
            if (all.length > 0) {
                return all;
            }
        } catch (CertificateException e) {
            throw new IOException("there is no certificate in PEM form in " + file, e);
        }
        throw new IOException("there is no certificate in PEM form in " + file);
    }

    private static PrivateKey key(String file) throws IOException, GeneralSecurityException {
        Matcher pem = PKCS8.matcher(new String(read(file), StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new IOException(
                    "there is no unencrypted PKCS #8 key (BEGIN PRIVATE KEY) in the file of tls-key; openssl pkcs8 -topk8 -nocrypt makes one");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
        for (String type : KEY_TYPES) {
            try {
                return KeyFactory.getInstance(type).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // One of the other types, then.
            }
        }
        throw new IOException("the key in the file of tls-key is none of " + String.join(", ", KEY_TYPES));
    }

    private static byte[] read(String file) throws IOException {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            throw new IOException("cannot read " + file, e);
        }
    }
}
