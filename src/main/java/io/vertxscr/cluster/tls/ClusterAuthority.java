package io.vertxscr.cluster.tls;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.crypto.generators.SCrypt;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.util.PrivateKeyInfoFactory;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Certificate authority of a cluster, whose key follows from the cluster's secret.
 *
 * <p>It is the same on every node that knows the secret, so each signs a certificate for itself, and to be trusted is
 * to know the secret. Whoever connects to a node sees its certificate before proving anything, and can test guesses of
 * the secret against the signature: therefore the key is derived by scrypt (RFC 7914) with 32 MiB and about 0.1 s a
 * guess. The name of the cluster is the salt: one secret makes different keys for different jobs.
 */
public final class ClusterAuthority {
  /** Shortest secret that is accepted. */
  public static final int MIN_SECRET_BYTES = 16;
  /** Length of a random key that takes the place of a secret. */
  public static final int KEY_BYTES = 32;

  private static final String ALGORITHM = "Ed25519";
  private static final int SCRYPT_COST = 1 << 15;
  private static final int SCRYPT_BLOCK = 8;
  /** Clocks of nodes may differ; a certificate's key ends with its process. */
  private static final Duration VALIDITY = Duration.ofDays(3650);

  private final PrivateKey key;
  private final X500Name name;
  private final X509Certificate certificate;

  private ClusterAuthority(byte[] seed) {
    Ed25519PrivateKeyParameters parameters = new Ed25519PrivateKeyParameters(seed);
    try {
      key = KeyFactory.getInstance(ALGORITHM).generatePrivate(
          new PKCS8EncodedKeySpec(PrivateKeyInfoFactory.createPrivateKeyInfo(parameters).getEncoded()));
      SubjectPublicKeyInfo known = SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(
          parameters.generatePublicKey());
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(known.getEncoded());
      name = new X500Name("CN=vertx-scr cluster " + HexFormat.of().formatHex(hash, 0, 8));
      certificate = sign(known, name, true);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /**
   * Derives the authority of a cluster. Takes about 0.1 s of CPU, on purpose.
   *
   * @param cluster name of the cluster
   * @throws ScrException BAD_CONFIGURATION if the secret is shorter than {@link #MIN_SECRET_BYTES}
   */
  public static ClusterAuthority ofSecret(byte[] secret, String cluster) {
    if (secret.length < MIN_SECRET_BYTES) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "the cluster's secret has " + secret.length
          + " bytes; it needs " + MIN_SECRET_BYTES + " at least");
    }
    byte[] salt = ("vertx-scr authority of " + cluster).getBytes(StandardCharsets.UTF_8);
    return new ClusterAuthority(SCrypt.generate(secret, salt, SCRYPT_COST, SCRYPT_BLOCK, 1, KEY_BYTES));
  }

  /**
   * Makes an authority of random bytes, which nobody can guess, without a derivation.
   *
   * @throws ScrException BAD_CONFIGURATION for another number of bytes than {@link #KEY_BYTES}
   */
  public static ClusterAuthority ofRandomKey(byte[] random) {
    if (random.length != KEY_BYTES) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "a key of " + random.length + " bytes: " + KEY_BYTES
          + " are needed");
    }
    return new ClusterAuthority(random);
  }

  /** Its certificate, by which others trust what it has signed. */
  X509Certificate certificate() {
    return certificate;
  }

  /** Signs the certificate of a node. */
  X509Certificate sign(PublicKey node) {
    try {
      return sign(SubjectPublicKeyInfo.getInstance(node.getEncoded()), new X500Name("CN=vertx-scr node"), false);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  private X509Certificate sign(SubjectPublicKeyInfo known, X500Name subject, boolean signsOthers)
      throws IOException, GeneralSecurityException {
    Instant now = Instant.now();
    X509v3CertificateBuilder builder = new X509v3CertificateBuilder(name, new BigInteger(127, new SecureRandom()),
        Date.from(now.minus(VALIDITY)), Date.from(now.plus(VALIDITY)), subject, known);
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(signsOthers));
    try {
      ContentSigner signer = new JcaContentSignerBuilder(ALGORITHM).build(key);
      return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException(e);
    }
  }

  @Override
  public String toString() {
    return "ClusterAuthority[hidden]";
  }
}
