package io.vertxscr.cluster.tls;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * Key and certificate of a daemon, and the authorities whose members it trusts. Thread-safe.
 *
 * <p>Names in certificates are not looked at: every certificate of a trusted authority is a member's.
 */
public final class Credentials {
  private static final String TLS = "TLSv1.3";
  /** AES with 128 bits first: it is the fastest in Java, by a tenth. */
  private static final String[] CIPHERS =
      {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"};
  /** Sessions are found by name and port; without one the JDK does not look for them. */
  private static final int SESSION_PORT = 1;
  private static final char[] IN_MEMORY = "not on disk".toCharArray();

  static {
    // Keys are kept in PKCS12 stores in memory, here and by Vert.x, which encrypt them with 10,000 rounds otherwise.
    System.setProperty("keystore.pkcs12.keyPbeIterationCount", "1");
    // Netty reads an RSA key of its own when it is loaded, whose modulus Bouncy Castle tests for primality: a tenth of
    // the CPU time of a daemon's start. Beside that it reads the site's own keys alone; peers are checked by the JDK.
    System.setProperty("org.bouncycastle.rsa.max_mr_tests", "0");
  }

  private final PrivateKey key;
  private final List<X509Certificate> chain;
  private final List<X509Certificate> trusted;
  private final SSLContext context;

  private Credentials(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> trusted)
      throws GeneralSecurityException, IOException {
    this.key = key;
    this.chain = List.copyOf(chain);
    this.trusted = List.copyOf(trusted);
    this.context = context();
  }

  /**
   * A new key pair whose certificate one of these authorities signs.
   *
   * @param authorities the first signs; members of all are trusted, so that a secret can be replaced
   */
  public static Credentials of(List<ClusterAuthority> authorities) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      return new Credentials(pair.getPrivate(), List.of(authorities.getFirst().sign(pair.getPublic())),
          authorities.stream().map(ClusterAuthority::certificate).toList());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has TLS 1.3", e);
    }
  }

  /** Those of a cluster that nobody else can join, for nodes of one process. */
  public static Credentials ofOwn() {
    byte[] random = new byte[ClusterAuthority.KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return of(List.of(ClusterAuthority.ofRandomKey(random)));
  }

  /**
   * Those that a site gives, in PEM.
   *
   * @param certificate of this daemon, and those between it and the authority
   * @param keyFile how messages name the key
   * @param pem the key, RSA or EC, without a password
   * @param authorities certificates whose members are trusted; they must sign nothing but certificates of daemons
   * @throws ScrException BAD_CONFIGURATION naming the file
   */
  public static Credentials ofFiles(Path certificate, Path keyFile, byte[] pem, Path authorities) {
    PrivateKey own = readKey(keyFile, pem);
    List<X509Certificate> chain = readCertificates(certificate);
    List<X509Certificate> trusted = readCertificates(authorities);
    if (!own.getAlgorithm().equals(chain.getFirst().getPublicKey().getAlgorithm())) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "key " + keyFile + " (" + own.getAlgorithm()
          + ") is not that of certificate " + certificate + " ("
          + chain.getFirst().getPublicKey().getAlgorithm() + ")");
    }
    try {
      return new Credentials(own, chain, trusted);
    } catch (IOException | GeneralSecurityException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "certificate " + certificate + ", key " + keyFile
          + " and authorities " + authorities + " cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * Client's end of a connection with mutual authentication. After the first one to a node of that name, both sides
   * resume its session, which saves the certificates: most of the CPU time of a handshake.
   */
  public SSLEngine clientEngine(String node) {
    return prepared(context.createSSLEngine(node, SESSION_PORT), true);
  }

  /** One end of a connection with mutual authentication, in a session of its own. */
  public SSLEngine engine(boolean client) {
    return prepared(context.createSSLEngine(), client);
  }

  private static SSLEngine prepared(SSLEngine engine, boolean client) {
    engine.setUseClientMode(client);
    engine.setNeedClientAuth(true);
    engine.setEnabledProtocols(new String[] {TLS});
    engine.setEnabledCipherSuites(CIPHERS);
    return engine;
  }

  /**
   * Lets an event bus talk to members only. Vert.x makes JSON of the options and reads it again, so nothing but PEM
   * gets through.
   */
  public EventBusOptions secure(EventBusOptions options) {
    PemTrustOptions others = new PemTrustOptions();
    trusted.forEach(authority -> others.addCertValue(pem("CERTIFICATE", encoded(authority))));
    Buffer certificates = Buffer.buffer();
    chain.forEach(link -> certificates.appendBuffer(pem("CERTIFICATE", encoded(link))));
    return options.setSsl(true).setTrustAll(false).setClientAuth(ClientAuth.REQUIRED)
        .setEnabledSecureTransportProtocols(Set.of(TLS))
        .setKeyCertOptions(new PemKeyCertOptions().addKeyValue(pem("PRIVATE KEY", key.getEncoded()))
            .addCertValue(certificates))
        .setTrustOptions(others);
  }

  /** Fingerprint of the key of this daemon. */
  public String fingerprint() {
    return fingerprint(chain.getFirst());
  }

  /** Fingerprint of the key of a certificate, by which its owner is told from others. SHA-256, hexadecimal. */
  public static String fingerprint(Certificate certificate) {
    try {
      return HexFormat.of().formatHex(
          MessageDigest.getInstance("SHA-256").digest(certificate.getPublicKey().getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private SSLContext context() throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, IN_MEMORY);
    keys.setKeyEntry("node", key, IN_MEMORY, chain.toArray(X509Certificate[]::new));
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, IN_MEMORY);
    for (X509Certificate authority : trusted) {
      authorities.setCertificateEntry("authority " + authorities.size(), authority);
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, IN_MEMORY);
    TrustManagerFactory others = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    others.init(authorities);
    SSLContext tls = SSLContext.getInstance(TLS);
    tls.init(own.getKeyManagers(), others.getTrustManagers(), null);
    return tls;
  }

  private static PrivateKey readKey(Path file, byte[] pem) {
    try (PEMParser parser = new PEMParser(new StringReader(new String(pem, StandardCharsets.US_ASCII)))) {
      for (Object found = parser.readObject(); found != null; found = parser.readObject()) {
        if (found instanceof PrivateKeyInfo info) {
          return new JcaPEMKeyConverter().getPrivateKey(info);
        } else if (found instanceof PEMKeyPair pair) {
          return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
        }
      }
      throw new ScrException(
          Fault.BAD_CONFIGURATION, "file " + file + " has no private key without a password, in PEM");
    } catch (IOException e) {
      throw new ScrException(
          Fault.BAD_CONFIGURATION, "key file " + file + " cannot be read: " + ScrException.reason(e), e);
    }
  }

  private static List<X509Certificate> readCertificates(Path file) {
    try (var bytes = Files.newInputStream(file)) {
      List<X509Certificate> found = new ArrayList<>();
      CertificateFactory.getInstance("X.509").generateCertificates(bytes)
          .forEach(certificate -> found.add((X509Certificate) certificate));
      if (found.isEmpty()) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "file " + file + " has no certificate");
      }
      return found;
    } catch (GeneralSecurityException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "file " + file + " has no certificate: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ScrException(
          Fault.BAD_CONFIGURATION, "certificate file " + file + " cannot be read: " + ScrException.reason(e), e);
    }
  }

  private static byte[] encoded(X509Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("it was decoded, or made here", e);
    }
  }

  private static Buffer pem(String what, byte[] der) {
    Base64.Encoder lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return Buffer.buffer("-----BEGIN " + what + "-----\n" + lines.encodeToString(der) + "\n-----END " + what
        + "-----\n");
  }

  @Override
  public String toString() {
    return "Credentials[hidden]";
  }
}
