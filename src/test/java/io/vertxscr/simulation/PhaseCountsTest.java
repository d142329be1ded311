package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: a phase asks no more of nodes, network and files than docs/flows/phase.md says.
 *
 * <p>Method: count, in virtual time, what four nodes with a rank each do from the first call of a phase to its last
 * answer, in XOR sets or without redundancy on RAM disks, warm. {@code -Dcounts=print} shows all of it.
 */
class PhaseCountsTest {
  private static final int NODES = 4;
  private static final int WARM_UP = 3;
  private static final Path PREFIX = Path.of("/pfs/prefix");

  private final Random random = new Random(1);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(this::wallNs);
  private final Map<String, SimulatedFileSystem> machines = new HashMap<>();
  private final Map<String, LocalFiles> files = new HashMap<>();
  private VirtualCluster cluster = cluster("XOR");
  private int fileBytes = 1;
  private final Map<String, Loop> loops = new HashMap<>();
  private Map<String, Integer> counts = new TreeMap<>();

  /** Counts what threads of nodes do, whosever files those are. */
  private final class Counting implements SimulatedFileSystem.Interference {
    @Override
    public void before(Operation operation, boolean onShared, Path path) {
      count((onShared ? "prefix " : "file ") + operation, 1);
    }

    @Override
    public void looks(Path path) {
      count((path.startsWith("/" + SimulatedFileSystem.SHARED) ? "prefix " : "file ") + "STAT", 1);
    }

    private void count(String what, int more) {
      if (loops.containsValue(time.current()) && !isQuiet(time.job())) {
        PhaseCountsTest.this.count(what, more);
      }
    }

    @Override
    public String kind() {
      return "tmpfs";
    }
  }

  private VirtualCluster cluster(String scheme) {
    return new VirtualCluster(random, time, Settings.load(Map.of("SCR_COPY_TYPE", scheme,
        "SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE", "/local/cache", "SCR_FLUSH", "0", "SCR_JOB_ID", "1",
        "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME", "cluster"), Optional.empty()), PREFIX,
        name -> files.computeIfAbsent(name, _ -> new LocalFiles(machine(name))), false,
        (from, to) -> new int[] {from.equals(to) ? 0 : 1});
  }

  /** Never in whole milliseconds, as of a file system that counts seconds. */
  private long wallNs() {
    return VirtualCluster.BEGINNING.getEpochSecond() * 1_000_000_000L + 123_456 + time.nowNs();
  }

  private SimulatedFileSystem machine(String name) {
    return machines.computeIfAbsent(name, _ -> new SimulatedFileSystem(
        name, new SimulatedDisk(this::wallNs), shared, new Counting()));
  }

  /** A job that reads files behind the answer of its node; some are done by the last answer, by chance. */
  private static boolean isQuiet(String job) {
    return job.startsWith("read dataset ") || job.startsWith("note checksums of dataset ");
  }

  private void count(String what, int more) {
    counts.merge(what, more, Integer::sum);
  }

  private void sent(VirtualBus.Sent sent) {
    String from = sent.from().split("/")[0];
    if (!(sent.body() instanceof Buffer text)) {
      count("clients: messages and answers", 1);
      count("clients: bytes", sent.body() instanceof JsonObject json ? json.encode().length() : 0);
      return;
    }
    count("nodes: bytes", text.length());
    if (!sent.isAnswer()) {
      String[] address = sent.address().split("\\.");
      count(address[1].equals(from) ? "to itself: " + address[3] : "nodes: " + address[3], 1);
    }
  }

  private void start() throws IOException {
    Files.createDirectories(machine("n1").getPath(PREFIX.toString()));
    List<String> names = Scenario.names(NODES);
    for (String name : names) {
      Files.createDirectories(machine(name).getPath("/local"));
      Path boot = Files.createDirectories(machine(name).getPath("/proc/sys/kernel/random")).resolve("boot_id");
      Files.writeString(boot, "the only boot of " + name);
      cluster.start(name);
      loops.put(name, cluster.loop(name));
    }
    cluster.pass(Duration.ofSeconds(1));
  }

  private List<VirtualSession> init() {
    return cluster.init(Scenario.names(NODES));
  }

  /** Of one phase with so many files for each rank: until its last answer. */
  private Map<String, Integer> phase(int filesOfRank) throws IOException {
    start();
    List<VirtualSession> ranks = init();
    for (int step = 1; step <= WARM_UP; step++) {
      phase(ranks, step, filesOfRank);
      cluster.pass(Duration.ofSeconds(1));
    }
    return counted(filesOfRank + " files of each rank", () -> phase(ranks, WARM_UP + 1, filesOfRank));
  }

  /** Of an init of a run whose ranks' files are all in place: until its last answer. */
  private Map<String, Integer> init(int filesOfRank) throws IOException {
    start();
    for (int run = 1; run <= WARM_UP; run++) {
      List<VirtualSession> ranks = init();
      phase(ranks, run, filesOfRank);
      cluster.all(ranks, VirtualSession::finish);
      cluster.pass(Duration.ofSeconds(1));
    }
    return counted("init", this::init);
  }

  private Map<String, Integer> counted(String what, Runnable action) {
    counts = new TreeMap<>();
    cluster.bus().watch(this::sent);
    time.watchJobs((_, job) -> count((isQuiet(job) ? "behind: " : "job: ") + job.replaceAll("[0-9]+", "N"), 1));
    action.run();
    Map<String, Integer> counted = Map.copyOf(counts);
    if (System.getProperty("counts") != null) {
      System.out.println(what);
      new TreeMap<>(counted).forEach((each, many) -> System.out.printf("%8d %s%n", many, each));
    }
    return counted;
  }

  private void phase(List<VirtualSession> ranks, int step, int filesOfRank) {
    List<VirtualPhase> open =
        cluster.all(ranks, rank -> rank.startOutput("step-" + step, DatasetFlags.CHECKPOINT));
    for (int file = 0; file < filesOfRank; file++) {
      int number = file;
      List<Path> routed = cluster.all(IntStream.range(0, NODES).boxed().toList(), rank ->
          open.get(rank).route(PREFIX + "/step-" + step + "/rank-" + rank + "-" + number));
      for (int rank = 0; rank < NODES; rank++) {
        write(cluster.file(Scenario.names(NODES).get(rank), routed.get(rank)));
      }
    }
    cluster.all(open, phase -> phase.complete(true));
  }

  private void write(Path path) {
    try {
      Files.setLastModifiedTime(Files.write(path, new byte[fileBytes]), FileTime.from(cluster.now()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int sum(Map<String, Integer> counts, String... prefixes) {
    return counts.entrySet().stream().filter(one -> Stream.of(prefixes).anyMatch(one.getKey()::startsWith))
        .collect(Collectors.summingInt(Map.Entry::getValue));
  }

  /** Of all four nodes together. What the daemons write to the log of the prefix directory is not of the phase. */
  private static void assertAtMost(Map<String, Integer> counted, Bounds most) {
    assertThat(sum(counted, "nodes: gather", "to itself: gather")).as("three gathers of four nodes").isEqualTo(12);
    assertThat(sum(counted, "nodes: ") - counted.get("nodes: bytes")).as("requests between nodes")
        .isLessThanOrEqualTo(most.requests());
    assertThat(counted.get("nodes: bytes")).as("bytes between nodes").isLessThanOrEqualTo(most.bytes());
    assertThat(sum(counted, "job: ") - sum(counted, "job: write the log", "job: look at /pfs/prefix/.scr"))
        .as("jobs").isLessThanOrEqualTo(most.jobs());
    assertThat(sum(counted, "file OPEN", "file CREATE")).as("files opened").isLessThanOrEqualTo(most.opened());
    assertThat(counted.get("file STAT")).as("files looked at").isLessThanOrEqualTo(most.looked());
    assertThat(counted).as("syncs of what is in memory").doesNotContainKey("file SYNC");
  }

  /** At most so many. */
  private record Bounds(int requests, int bytes, int jobs, int opened, int looked) {}

  @Test
  void withoutFiles() throws IOException {
    assertAtMost(phase(0), new Bounds(9, 4_800, 12, 12, 44));
  }

  @Test
  void tenSmallFilesOfEachRank() throws IOException {
    assertAtMost(phase(10), new Bounds(9, 22_000, 28, 52, 104));
  }

  /** Each file has more bytes than are small together. */
  @Test
  void tenFilesOfEachRankWithoutRedundancy() throws IOException {
    cluster = cluster("SINGLE");
    fileBytes = 70_000;
    Map<String, Integer> counted = phase(10);
    assertAtMost(counted, new Bounds(9, 12_000, 28, 8, 100));
    assertThat(counted.getOrDefault("file READ", 0)).as("reads, but for the id of the boot").isLessThanOrEqualTo(8);
  }

  @Test
  void manySmallFilesOfEachRank() throws IOException {
    Map<String, Integer> counted = phase(2000);
    assertAtMost(counted, new Bounds(21, 834_000, 28, 8_012, 8_064));
    assertThat(counted.get("file READ")).as("each file once").isEqualTo(8_000);
  }

  @Test
  void initWithFullCaches() throws IOException {
    Map<String, Integer> counted = init(10);
    assertThat(counted).as("reads and writes of caches")
        .doesNotContainKeys("file READ", "file OPEN", "file CREATE", "file WRITE", "file SYNC");
    assertThat(counted.get("file STAT")).as("attributes: files, redundancy and stores")
        .isLessThanOrEqualTo(104);
    assertThat(sum(counted, "nodes: ") - counted.get("nodes: bytes")).as("join, stores, inventory, verify, run-begin")
        .isLessThanOrEqualTo(15);
    assertThat(sum(counted, "job: ") - sum(counted, "job: write the log")).as("jobs").isLessThanOrEqualTo(21);
  }
}
