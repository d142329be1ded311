package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: no flush puts an older file where ranks write past the cache. That holds whoever leads and whoever comes amid
 * their phase; and when that is over, it goes on. Method: nodes in virtual time, of which the leader has no ranks; a
 * limit keeps the older dataset, of the same file names, on its way; ranks have opened their files when the leader, or
 * the members, change. Replay with -Dseed=N.
 */
class BypassTurnTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final String SUMMARY = PREFIX + "/.scr/scr.dataset.1/summary.scr";
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
  private static final int FILES = 2;                     // the first one is copied whatever the limit says
  private static final int BYTES = 6000;
  private static final Map<String, String> LIMITED =
      Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1", "SCR_FLUSH_ASYNC_BW", "100");
  private static final Map<String, String> PAST_THE_CACHE = Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1",
      "SCR_FLUSH_ASYNC_BW", "100", "SCR_CACHE_BYPASS", "1");

  private final Random random = new Random(SEED);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Map<String, LocalFiles> machines = new HashMap<>();
  private final VirtualCluster cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE",
      "/local/cntl", "SCR_CACHE_BASE", "/local/cache", "SCR_COPY_TYPE", "SINGLE"), Optional.empty()), PREFIX,
      this::machine, true, (from, to) -> new int[] {from.equals(to) ? 0 : 1});

  private LocalFiles machine(String name) {
    return machines.computeIfAbsent(name, _ -> new LocalFiles(new SimulatedFileSystem(
        name, new SimulatedDisk(time::nowNs), shared, SimulatedFileSystem.Interference.NONE)));
  }

  private void start() throws IOException {
    Files.createDirectories(machine("n1").path(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).path("/local"));
      cluster.start(node);
    }
    cluster.pass(Duration.ofSeconds(1));
  }

  /** A phase of a run on these nodes. */
  private final class Written {
    private final List<String> nodes;
    private final List<ScrClient> clients;
    private final List<VirtualPhase> phases;
    private final List<FileChannel> files = new ArrayList<>();

    Written(List<String> nodes, Map<String, String> environment, String name) throws IOException {
      this(nodes, environment, name, () -> {});
    }

    /** @param before what happens between the begin of the run and the phase */
    Written(List<String> nodes, Map<String, String> environment, String name, Runnable before) throws IOException {
      this.nodes = nodes;
      clients = nodes.stream().map(cluster::client).toList();
      List<VirtualSession> ranks = cluster.all(cluster.init(clients, environment), answer -> answer);
      before.run();
      phases = cluster.all(ranks, rank -> rank.startOutput(name, DatasetFlags.CHECKPOINT));
      for (int rank = 0; rank < nodes.size(); rank++) {
        for (int file = 0; file < FILES; file++) {
          Path routed = cluster.answer(phases.get(rank).route(place(rank, file)));
          Path path = cluster.file(nodes.get(rank), routed);
          Files.createDirectories(path.getParent());
          files.add(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        }
      }
    }

    private static String place(int rank, int file) {
      return PREFIX + "/ckpt/" + rank + "-" + file;
    }

    void complete(int content) throws IOException {
      for (FileChannel file : files) {
        file.write(ByteBuffer.wrap(bytes(content)));
        file.close();
      }
      cluster.all(phases, phase -> phase.complete(true));
    }

    void requireThere(int content) throws IOException {
      for (int rank = 0; rank < nodes.size(); rank++) {
        for (int file = 0; file < FILES; file++) {
          assertThat(Files.readAllBytes(machine(nodes.get(rank)).path(place(rank, file)))).isEqualTo(bytes(content));
        }
      }
    }

    void end() {
      clients.forEach(ScrClient::close);
      cluster.launch();
    }

    private static byte[] bytes(int content) {
      byte[] all = new byte[BYTES];
      Arrays.fill(all, (byte) content);
      return all;
    }
  }

  private void older(String... nodes) throws IOException {
    Written older = new Written(List.of(nodes), LIMITED, "step-1");
    older.complete(1);
    older.end();
    assertThat(machine("n1").path(SUMMARY)).as("its flush is on its way").doesNotExist();
  }

  /** Its flush has come to its end behind the phase, though newer files have its names. */
  private void requireDone() {
    assertThat(cluster.store("n2").find(1).orElseThrow().flush()).isEqualTo(FlushState.DONE);
  }

  /** Its files stay its own, as long as the ranks write and behind that, when the flush has gone on. */
  private void requireKept(Written newer) throws IOException {
    cluster.pass(Duration.ofMinutes(10));
    newer.complete(2);
    newer.requireThere(2);
    cluster.pass(Duration.ofMinutes(10));
    newer.requireThere(2);
    requireDone();
  }

  @Test
  void noFlushOfAnotherLeaderPutsAnOlderFileWhereRanksWrite() throws IOException {
    start();
    older("n2", "n3");
    Written newer = new Written(List.of("n2", "n3"), PAST_THE_CACHE, "step-2");
    cluster.kill("n1");
    requireKept(newer);
  }

  @Test
  void noFlushOfWhatComesBackAmidThePhasePutsAnOlderFileWhereRanksWrite() throws IOException {
    start();
    older("n2", "n3");
    cluster.kill("n3");
    cluster.pass(Duration.ofMinutes(2));
    Written newer = new Written(List.of("n2", "n4"), PAST_THE_CACHE, "step-2");
    cluster.start("n3");
    requireKept(newer);
  }

  /** The node hangs when it is to rename, and goes on when ranks write; they do not begin with what it has. */
  @Test
  void noNodeThatIsLatePutsAnOlderFileWhereRanksWrite() throws IOException {
    start();
    older("n3", "n3");
    boolean[] hangs = {false};
    cluster.bus().watch(sent -> {
      if (!hangs[0] && sent.address().endsWith("n3.node.flush-publish")) {
        hangs[0] = true;
        cluster.hangStorage("n3", true);
      }
    });
    Map<String, String> afresh = new HashMap<>(PAST_THE_CACHE);
    afresh.putAll(Map.of("SCR_DISTRIBUTE", "0", "SCR_FETCH", "0"));
    Written newer = new Written(List.of("n4", "n2"), afresh, "step-2", () -> {
      cluster.awaits("a rename that hangs", () -> hangs[0]);
      cluster.pass(Duration.ofMinutes(1));
    });
    cluster.hangStorage("n3", false);
    cluster.pass(Duration.ofSeconds(20));
    newer.complete(2);
    newer.requireThere(2);
  }

  /** As Hazelcast has parts join: who does hears of nobody that he has left. */
  @Test
  void aLeaderWhosePartJoinsAnotherOneAmidThePhaseHoldsUpNoFlushWhenItLeadsAgain() throws IOException {
    start();
    List<String> part = List.of("n1", "n2", "n3");
    cluster.members().cut(Set.of("n4"), Set.copyOf(part));
    cluster.members().cut(Set.copyOf(part), Set.of("n4"));
    cluster.pass(Duration.ofSeconds(20));
    older("n2", "n3");
    Written newer = new Written(List.of("n2", "n3"), PAST_THE_CACHE, "step-2");
    cluster.members().heal(Set.of("n4"), Set.copyOf(part));
    cluster.members().heal(Set.copyOf(part), Set.of("n4"));
    cluster.members().join(part, "n4");
    cluster.pass(Duration.ofMillis(50));
    cluster.kill("n4");
    cluster.pass(Duration.ofSeconds(1));
    newer.end();
    cluster.pass(Duration.ofMinutes(10));
    assertThat(machine("n1").path(SUMMARY)).exists();
  }
}
