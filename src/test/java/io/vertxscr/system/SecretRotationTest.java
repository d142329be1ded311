package io.vertxscr.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a secret is replaced without stopping the cluster, as docs/security.md says. Method: two daemons in this
 * process, members of a real cluster, and three rounds of restarts, one daemon after the other; after each a run
 * restarts from the newest checkpoint out of the caches, and makes one more. At the end the old secret lets nobody in.
 */
@Timeout(120)
class SecretRotationTest {
  private static final int FILES = 2;
  private static final List<String> NAMES = List.of("a", "b");
  private static final String CLUSTER = "scr-u-1";
  private static final String OLD = "the old secret of this test";
  private static final String NEW = "the new secret of this test";
  /** Of each secret, derived once. */
  private static final Map<String, ClusterAuthority> AUTHORITIES = Stream.of(OLD, NEW).collect(
      Collectors.toMap(secret -> secret, secret -> ClusterAuthority.ofSecret(secret.getBytes(UTF_8), CLUSTER)));

  @TempDir private Path directory;
  private final Map<String, ClusteredNode> daemons = new LinkedHashMap<>();
  private Path prefix;
  private MembersHere members;

  @BeforeEach
  void findRoom() throws IOException {
    prefix = Files.createDirectory(directory.resolve("p"));
    members = new MembersHere(CLUSTER, NAMES.size() + 1);
  }

  @AfterEach
  void close() {
    daemons.values().forEach(ClusteredNode::close);
  }

  private Map<String, String> environment() {
    return Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE", directory + "/k", "SCR_USER_NAME", "u",
        "SCR_JOB_ID", "1", "SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "0");
  }

  private ClusteredNode start(String name, String... secrets) {
    return members.start(NAMES.indexOf(name), name, environment(),
        Stream.of(secrets).map(AUTHORITIES::get).toList());
  }

  /** Ends one daemon after the other and starts it with these secrets; a run after each. Returns the last step. */
  private int round(int step, String... secrets) throws Exception {
    int now = step;
    for (String name : NAMES) {
      Optional.ofNullable(daemons.remove(name)).ifPresent(ClusteredNode::close);
      daemons.put(name, start(name, secrets));
      if (daemons.size() == NAMES.size()) {
        Eventually.holds("one cluster", () ->
            daemons.values().stream().allMatch(daemon -> daemon.members().size() == NAMES.size()));
        now = restartAndWriteOne(now);
      }
    }
    return now;
  }

  private int restartAndWriteOne(int expected) throws Exception {
    List<Path> sockets = new ArrayList<>();
    for (String name : NAMES) {
      sockets.addAll(List.of(daemons.get(name).socket(), daemons.get(name).socket()));
    }
    assertThat(EmbeddedRun.all(new SocketRun(prefix, sockets).start(scr -> {
      int step = RankProgram.restart(scr, FILES);
      RankProgram.checkpoint(scr, prefix, step + 1, FILES);
      scr.finish();
      return step;
    }))).containsOnly(expected);
    return expected + 1;
  }

  private Path file(String name, String secret) throws IOException {
    Path file = Files.writeString(directory.resolve(name), secret);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void threeRoundsOfRestartsReplaceTheSecretAndLoseNoDataset() throws Exception {
    int step = round(0, OLD);
    step = round(step, OLD, NEW);
    step = round(step, NEW, OLD);
    step = round(step, NEW);
    assertThat(step).isEqualTo(1 + 3 * NAMES.size());

    CliRun late = CliRun.of(environment(), "node", "--name", "late", "--host", "127.0.0.1", "--port",
        members.ports().getLast(), "--members", String.join(",", members.seeds()), "--secret-file", file("old", OLD),
        "--secret-file", file("older", "the secret before the old one"));
    assertThat(late.exit()).as(late.toString()).isEqualTo(1);
    assertThat(late.err()).contains(" has another secret than this one");
  }
}
