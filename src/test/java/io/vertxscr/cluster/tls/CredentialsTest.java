package io.vertxscr.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;

/** Goal: what follows from a secret is the same on all nodes, and different for another secret or cluster. */
class CredentialsTest {
  private static X509Certificate authority(String secret, String cluster) {
    return ClusterAuthority.ofSecret(secret.getBytes(StandardCharsets.UTF_8), cluster).certificate();
  }

  @Test
  void oneSecretAndOneClusterHaveOneKey() throws Exception {
    X509Certificate one = authority("0123456789abcdef", "scr-u-1");
    X509Certificate again = authority("0123456789abcdef", "scr-u-1");
    assertThat(again.getPublicKey()).isEqualTo(one.getPublicKey());
    assertThat(again.getSubjectX500Principal()).isEqualTo(one.getSubjectX500Principal());
    again.verify(one.getPublicKey());
    for (X509Certificate other : new X509Certificate[] {
        authority("0123456789abcdeg", "scr-u-1"), authority("0123456789abcdef", "scr-u-2")}) {
      assertThat(other.getPublicKey()).isNotEqualTo(one.getPublicKey());
      assertThatExceptionOfType(SignatureException.class).isThrownBy(() -> other.verify(one.getPublicKey()));
    }
  }

  @Test
  void aShortSecretIsRefusedAndNothingIsShown() {
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> authority("0123456789abcde", "c"))
        .extracting(ScrException::fault).isEqualTo(Fault.BAD_CONFIGURATION);
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> ClusterAuthority.ofRandomKey(new byte[31]))
        .extracting(ScrException::fault).isEqualTo(Fault.BAD_CONFIGURATION);
    assertThat(Credentials.ofOwn().toString()).contains("hidden");
  }
}
