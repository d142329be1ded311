package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Shared secret of the nodes of one cluster. Never sent: nodes prove that they know it. Thread-safe. */
public final class ClusterSecret {
  /** Shortest secret that is accepted. */
  public static final int MIN_BYTES = 16;

  static final int PROOF_BYTES = 32;
  private static final int FINGERPRINT_BYTES = 8;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /** @throws ScrException BAD_CONFIGURATION if shorter than {@link #MIN_BYTES} */
  public ClusterSecret(byte[] secret) {
    if (secret.length < MIN_BYTES) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "the cluster's secret has " + secret.length + " bytes; it needs " + MIN_BYTES + " at least");
    }
    key = new SecretKeySpec(secret, ALGORITHM);
  }

  /** By which the nodes of a cluster see that all have the same secret; it tells nothing of it. */
  public String fingerprint(String cluster) {
    byte[] proof = proof(("member of " + cluster).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(proof, 0, FINGERPRINT_BYTES);
  }

  /** The HMAC-SHA256 of the parts, one after the other. Callers fix the lengths, so that no two lists look alike. */
  byte[] proof(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /** Compares in a time that does not tell how many bytes are right. */
  static boolean same(byte[] proof, byte[] expected) {
    return MessageDigest.isEqual(proof, expected);
  }

  @Override
  public String toString() {
    return "ClusterSecret[hidden]";
  }
}
