package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.service.TraceSpan;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a phase, and a flush, is one tree over all nodes. It says who was slow and what failed; no message is longer
 * for it. Method: four nodes with a rank each in virtual time, in an XOR set, and a list of all spans.
 */
class TracesTest {
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = Scenario.names(4);
  private static final int BYTES = 10_000;
  private static final long NS_PER_S = 1_000_000_000;
  private static final Duration LATE = Duration.ofSeconds(5);

  private final Random random = new Random(1);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(this::wallNs);
  private final Map<String, SimulatedFileSystem> machines = new HashMap<>();
  private final Map<String, LocalFiles> files = new HashMap<>();
  private final List<TraceSpan> spans = new ArrayList<>();
  private VirtualCluster cluster;

  private long wallNs() {
    return VirtualCluster.BEGINNING.getEpochSecond() * NS_PER_S + time.nowNs();
  }

  private SimulatedFileSystem machine(String name) {
    return machines.computeIfAbsent(name, _ -> new SimulatedFileSystem(
        name, new SimulatedDisk(this::wallNs), shared, (_, _, _) -> {}));
  }

  /** @param copies when each copy of a message arrives, in ms */
  private List<VirtualSession> begin(boolean traced, int flush, int... copies) throws IOException {
    cluster = new VirtualCluster(random, time, Settings.load(Map.of("SCR_CNTL_BASE", "/local/cntl",
        "SCR_CACHE_BASE", "/local/cache", "SCR_COPY_TYPE", "XOR", "SCR_SMALL_BYTES", "0",
        "SCR_FLUSH", Integer.toString(flush), "SCR_JOB_ID", "1", "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user",
        "SCR_CLUSTER_NAME", "cluster"), Optional.empty()), PREFIX,
        name -> files.computeIfAbsent(name, _ -> new LocalFiles(machine(name))), true,
        (from, to) -> from.equals(to) ? new int[] {0} : copies);
    if (traced) {
      cluster.trace(spans::add);
    }
    Files.createDirectories(machine("n1").getPath(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).getPath("/local"));
      Path boot = Files.createDirectories(machine(node).getPath("/proc/sys/kernel/random")).resolve("boot_id");
      Files.writeString(boot, "the only boot of " + node);
      cluster.start(node);
    }
    cluster.pass(Duration.ofSeconds(1));
    return cluster.init(NODES);
  }

  private List<VirtualPhase> write(List<VirtualSession> ranks) throws IOException {
    List<VirtualPhase> open = cluster.all(ranks, rank -> rank.startOutput("step-1", DatasetFlags.CHECKPOINT));
    List<Path> routed = cluster.all(IntStream.range(0, NODES.size()).boxed().toList(), rank ->
        open.get(rank).route(PREFIX + "/step-1/rank-" + rank));
    for (int rank = 0; rank < NODES.size(); rank++) {
      Files.setLastModifiedTime(Files.write(cluster.file(NODES.get(rank), routed.get(rank)), new byte[BYTES]),
          FileTime.from(cluster.now()));
    }
    return open;
  }

  private void complete(List<VirtualPhase> open) {
    cluster.all(open, phase -> phase.complete(true));
  }

  private TraceSpan root(String name) {
    List<TraceSpan> roots = spans.stream().filter(span -> span.name().equals(name)).toList();
    assertThat(roots).as(name).hasSize(1);
    return roots.getFirst();
  }

  private List<TraceSpan> in(TraceSpan root, String name) {
    return spans.stream().filter(span -> span.traceId().equals(root.traceId()) && span.name().equals(name)).toList();
  }

  /** Spans by node and by what they are, from the root down. */
  private List<String> paths(TraceSpan root) {
    Map<String, TraceSpan> byId = spans.stream().filter(span -> span.traceId().equals(root.traceId()))
        .collect(Collectors.toMap(TraceSpan::spanId, span -> span));    // fails where an id is there twice
    return byId.values().stream().map(span -> {
      StringBuilder path = new StringBuilder(span.name());
      for (TraceSpan at = span; !at.parentId().isEmpty();) {
        at = byId.get(at.parentId());
        assertThat(at).as("parent in %s of %s", path, span).isNotNull();
        path.insert(0, at.name() + " / ");
      }
      return span.node() + ": " + path;
    }).sorted().toList();
  }

  private static long ns(TraceSpan span) {
    return span.endNs() - span.startNs();
  }

  @Test
  void aPhaseIsOneTreeOverAllNodes() throws IOException {
    complete(write(begin(true, 0, 1)));
    TraceSpan root = root("scr.output");
    assertThat(root.attributes()).containsEntry("scr.dataset.name", "step-1")
        .containsEntry("scr.dataset.bytes", (long) NODES.size() * BYTES);
    assertThat(root.failure()).isEmpty();
    assertThat(spans).allMatch(span -> span.traceId().equals(root.traceId()));
    List<String> paths = paths(root);
    for (String node : NODES) {
      String call = node + ": scr.output / complete-output";
      assertThat(paths).contains(node + ": scr.output / start-output", node + ": scr.output / start-output / evict",
          call, call + " / await ranks", call + " / look", call + " / await nodes", call + " / protect",
          call + " / protect / encode", call + " / protect / encode / pull", call + " / protect / await checksums");
    }
    assertThat(in(root, "gather")).extracting(gather -> gather.attributes().get("scr.step"))
        .containsExactly("start-output", "complete-output", "protection");
    List<TraceSpan> encodings = in(root, "encode");
    assertThat(encodings).hasSize(NODES.size());
    assertThat(encodings).allSatisfy(encode -> {
      List<TraceSpan> pulls = spans.stream().filter(span -> span.parentId().equals(encode.spanId())).toList();
      assertThat(pulls).extracting(span -> span.attributes().get("scr.peer.node")).doesNotHaveDuplicates()
          .hasSizeGreaterThanOrEqualTo(NODES.size() - 1);
      assertThat(pulls.stream().mapToLong(span -> (long) span.attributes().get("scr.bytes")).sum())
          .isEqualTo(encode.attributes().get("scr.bytes"));
    });
    assertThat(encodings.stream().mapToLong(encode -> (long) encode.attributes().get("scr.bytes")).sum())
        .as("each byte is read once").isEqualTo((long) NODES.size() * BYTES);
  }

  @Test
  void whoComesLateIsWhomTheOthersAwait() throws IOException {
    List<VirtualPhase> open = write(begin(true, 0, 1));
    cluster.all(IntStream.range(0, NODES.size()).boxed().toList(), rank ->
        (rank == 2 ? cluster.later(LATE.toMillis()) : Future.<Void>succeededFuture())
            .compose(_ -> open.get(rank).complete(true)));
    TraceSpan root = root("scr.output");
    for (TraceSpan wait : in(root, "await nodes")) {
      if ("complete-output".equals(wait.attributes().get("scr.step"))) {
        assertThat(ns(wait) > NS_PER_S).as("%s waits for others", wait.node()).isEqualTo(!wait.node().equals("n3"));
      }
    }
    assertThat(in(root, "gather")).anySatisfy(gather -> {
      assertThat(gather.attributes()).containsEntry("scr.step", "complete-output").containsEntry("scr.node.last", "n3");
      assertThat(ns(gather)).isBetween(LATE.toNanos() - NS_PER_S, LATE.toNanos() + NS_PER_S);
    });
  }

  @Test
  void aPhaseThatFailsSaysWhichNode() throws IOException {
    List<VirtualPhase> open = write(begin(true, 0, 1));
    List<Future<Void>> ends =
        Stream.of(0, 1, 3).map(rank -> open.get(rank).complete(true)).toList();
    cluster.pass(Duration.ofSeconds(1));
    cluster.kill("n3");
    ends.forEach(end -> assertThat(cluster.await(end).failed()).isTrue());
    TraceSpan root = root("scr.output");
    assertThat(root.failure()).hasValueSatisfying(failure -> {
      assertThat(failure.fault()).isEqualTo(Fault.NODE_LOST);
      assertThat(failure.cause()).contains("n3");
    });
    assertThat(in(root, "complete-output")).hasSize(3).allMatch(call -> call.failure().isPresent());
    paths(root);
  }

  @Test
  void aFlushIsOneTreeOverAllNodes() throws IOException {
    complete(write(begin(true, 1, 1)));
    awaitFlush();
    TraceSpan root = root("scr.flush");
    List<String> paths = paths(root);
    for (String node : NODES) {
      assertThat(paths).contains(node + ": scr.flush / attempt / copy / copy files",
          node + ": scr.flush / attempt / publish / publish files");
    }
    assertThat(paths).contains("n1: scr.flush", "n1: scr.flush / attempt", "n1: scr.flush / attempt / map",
        "n1: scr.flush / attempt / seal").anyMatch(path -> path.endsWith(": scr.flush / map part"));
    assertThat(in(root, "copy files")).allMatch(copy -> copy.attributes().get("scr.bytes").equals((long) BYTES));
  }

  private void awaitFlush() {
    cluster.awaits("the flush", () -> NODES.stream().allMatch(node ->
        cluster.store(node).find(1).orElseThrow().flush() == FlushState.DONE));
    cluster.pass(Duration.ofSeconds(1));
  }

  @Test
  void aMessageThatComesTwiceDoublesNoSpan() throws IOException {
    complete(write(begin(true, 1, 1, 30)));
    awaitFlush();
    paths(root("scr.output"));
    paths(root("scr.flush"));
    assertThat(spans).extracting(TraceSpan::spanId).doesNotHaveDuplicates();
  }

  @Test
  void tracesChangeNoMessageAndNoStep() throws IOException {
    String off = story(false);
    assertThat(spans).isEmpty();
    assertThat(new TracesTest().story(true)).isEqualTo(off);
  }

  private String story(boolean traced) {
    try {
      complete(write(begin(traced, 1, 1)));
      awaitFlush();
      assertThat(spans.isEmpty()).isEqualTo(!traced);
      return cluster.story();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
