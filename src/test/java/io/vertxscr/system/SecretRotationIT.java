package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a secret is replaced without stopping the cluster, as docs/security.md says. Method: two daemons, three rounds
 * of restarts, one daemon after the other; after each restart a run restarts from the newest checkpoint out of the
 * caches, and makes one more. At the end the old secret lets nobody in.
 */
class SecretRotationIT {
  private static final int FILES = 2;
  private static final List<String> NAMES = List.of("a", "b");

  private final Map<String, DaemonProcess> daemons = new LinkedHashMap<>();
  private DaemonCluster cluster;
  private String oldSecret;
  private String newSecret;

  @BeforeEach
  void makeSecrets() throws IOException {
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR"));
    oldSecret = secret("old");
    newSecret = secret("new");
  }

  @AfterEach
  void close() throws Exception {
    cluster.close();
  }

  private String secret(String name) throws IOException {
    Path file = Files.writeString(cluster.directory().resolve(name), "the " + name + " secret of this test");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  private DaemonProcess start(String name, String... secrets) throws Exception {
    return cluster.startOutsider(name, cluster.directory(), Map.of(),
        Stream.of(secrets).flatMap(secret -> Stream.of("--secret-file", secret)).toArray(String[]::new));
  }

  /** Ends one daemon after the other and starts it with these secrets; a run after each. Returns the last step. */
  private int round(int step, String... secrets) throws Exception {
    int now = step;
    for (String name : NAMES) {
      DaemonProcess before = daemons.remove(name);
      if (before != null) {
        before.terminate();
        assertThat(before.awaitExit()).isZero();
      }
      daemons.put(name, start(name, secrets).awaitReady());
      if (daemons.size() == NAMES.size()) {
        awaitOneCluster();
        now = restartAndWriteOne(now);
      }
    }
    return now;
  }

  private void awaitOneCluster() throws Exception {
    for (DaemonProcess daemon : daemons.values()) {
      try (StatusOf status = new StatusOf(daemon)) {
        Eventually.holds("one cluster", () -> status.now().getJsonArray("nodes").size() == NAMES.size());
      }
    }
  }

  private int restartAndWriteOne(int expected) throws Exception {
    List<DaemonProcess> inOrder = NAMES.stream().map(daemons::get).toList();
    assertThat(EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), inOrder).start(scr -> {
      int step = RankProgram.restart(scr, FILES);
      RankProgram.checkpoint(scr, cluster.prefix(), step + 1, FILES);
      scr.finish();
      return step;
    }))).containsOnly(expected);
    return expected + 1;
  }

  @Test
  void threeRoundsOfRestartsReplaceTheSecretAndLoseNoDataset() throws Exception {
    int step = round(0, oldSecret);
    step = round(step, oldSecret, newSecret);
    step = round(step, newSecret, oldSecret);
    step = round(step, newSecret);
    assertThat(step).isEqualTo(1 + 3 * NAMES.size());

    DaemonProcess late = start("late", oldSecret);
    assertThat(late.awaitExit()).isEqualTo(1);
    assertThat(late.output()).contains(" has another secret than this one");
  }
}
