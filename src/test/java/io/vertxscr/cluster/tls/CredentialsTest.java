package io.vertxscr.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what follows from a secret is the same on all nodes, and another for each secret and cluster. */
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

  /** PEM in files, as a site has it: also through the JSON that Vert.x makes of its options. */
  @Test
  void certificatesOfASiteAreReadAndWhatDoesNotBelongTogetherIsRefused(@TempDir Path directory) throws Exception {
    Path certificate = directory.resolve("cert.pem");
    Path authority = directory.resolve("ca.pem");
    ClusterAuthority site = ClusterAuthority.ofSecret("0123456789abcdef".getBytes(StandardCharsets.UTF_8), "site");
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair pair = generator.generateKeyPair();
    Files.writeString(certificate, pem("CERTIFICATE", site.sign(pair.getPublic()).getEncoded()));
    Files.writeString(authority, pem("CERTIFICATE", site.certificate().getEncoded()));
    byte[] key = pem("PRIVATE KEY", pair.getPrivate().getEncoded()).getBytes(StandardCharsets.US_ASCII);

    Credentials ofSite = Credentials.ofFiles(certificate, Path.of("key.pem"), key, authority);
    handshake(ofSite.engine(true), Credentials.of(List.of(site)).engine(false));
    assertThatExceptionOfType(SSLException.class)
        .isThrownBy(() -> handshake(ofSite.engine(true), Credentials.ofOwn().engine(false)));
    JsonObject options = ofSite.secure(new EventBusOptions()).toJson();
    assertThat(new EventBusOptions(options).getClientAuth()).isEqualTo(ClientAuth.REQUIRED);
    assertThat(new EventBusOptions(options).isTrustAll()).isFalse();

    KeyPair other = KeyPairGenerator.getInstance("EC").generateKeyPair();
    byte[] otherKey = pem("PRIVATE KEY", other.getPrivate().getEncoded()).getBytes(StandardCharsets.US_ASCII);
    for (byte[] no : new byte[][] {otherKey, new byte[0], "no key".getBytes(StandardCharsets.US_ASCII)}) {
      assertThatExceptionOfType(ScrException.class)
          .isThrownBy(() -> Credentials.ofFiles(certificate, Path.of("key.pem"), no, authority))
          .withMessageContaining("key.pem").extracting(ScrException::fault).isEqualTo(Fault.BAD_CONFIGURATION);
    }
    assertThatExceptionOfType(ScrException.class)
        .isThrownBy(() -> Credentials.ofFiles(directory.resolve("none"), Path.of("key.pem"), key, authority))
        .withMessageContaining("none cannot be read");
  }

  /** By the bytes that the server sends: without certificates they are a few. */
  @Test
  void anotherConnectionToTheSameNodeResumesTheSessionAndToNobodyElse() throws Exception {
    Credentials member = Credentials.ofOwn();
    int full = handshake(member.clientEngine("n1"), member.engine(false));
    assertThat(handshake(member.clientEngine("n1"), member.engine(false))).isLessThan(full * 2 / 3);
    assertThat(handshake(member.clientEngine("n2"), member.engine(false))).isGreaterThan(full * 2 / 3);
    assertThatExceptionOfType(SSLException.class)
        .isThrownBy(() -> handshake(member.clientEngine("n1"), Credentials.ofOwn().engine(false)));
  }

  private static String pem(String what, byte[] der) {
    return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + what
        + "-----\n";
  }

  /** Returns how many bytes the server has sent. */
  private static int handshake(SSLEngine client, SSLEngine server) throws SSLException {
    int sent = 0;
    ByteBuffer none = ByteBuffer.allocate(0);
    ByteBuffer plain = ByteBuffer.allocate(1 << 16);
    ByteBuffer[] wires = {ByteBuffer.allocate(1 << 16).limit(0), ByteBuffer.allocate(1 << 16).limit(0)};
    SSLEngine[] ends = {client, server};
    client.beginHandshake();
    server.beginHandshake();
    for (int turn = 0; turn < 40; turn++) {
      SSLEngine mine = ends[turn % 2];
      for (Runnable task = mine.getDelegatedTask(); task != null; task = mine.getDelegatedTask()) {
        task.run();
      }
      wires[1 - turn % 2].compact();
      int produced = mine.wrap(none, wires[1 - turn % 2]).bytesProduced();
      sent += mine == server ? produced : 0;
      wires[1 - turn % 2].flip();
      mine.unwrap(wires[turn % 2], plain.clear());
    }
    assertThat(client.getHandshakeStatus()).isEqualTo(SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING);
    assertThat(server.getHandshakeStatus()).isEqualTo(SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING);
    return sent;
  }
}
