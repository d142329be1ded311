package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.userspace.UserspacePath;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a restart reads no cached file that this boot has sealed and nobody has touched. Everything else is read, once.
 * What is rebuilt is verified by that same read, and where it fails, everything is read.
 *
 * <p>Method: four nodes with a rank each in virtual time, on disks in memory, count the bytes that daemons read of the
 * caches. Replay with -Dseed=N.
 */
class SealedDatasetsTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
  private static final String SPARE = "n5";
  private static final int BYTES = 3_000;

  private final Random random = new Random(SEED);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(this::wallNs);
  private final Map<String, SimulatedFileSystem> machines = new HashMap<>();
  private final Map<String, SimulatedDisk> disks = new HashMap<>();
  private final Map<String, LocalFiles> files = new HashMap<>();
  private VirtualCluster cluster;
  private List<VirtualSession> running = List.of();
  /** Bytes that daemons have read, of files in caches, by path. */
  private final Map<String, Integer> read = new TreeMap<>();

  private final SimulatedFileSystem.Interference counting = new SimulatedFileSystem.Interference() {
    @Override
    public void before(Operation operation, boolean onShared, Path path) {
      // nothing fails
    }

    @Override
    public void reads(Path path, int bytes) {
      if (time.isInJob() && path.startsWith(path.getFileSystem().getPath("/local/cache"))) {
        read.merge(path.toString(), bytes, Integer::sum);
      }
    }

    @Override
    public String kind() {
      return "tmpfs";
    }
  };

  private long wallNs() {
    return VirtualCluster.BEGINNING.getEpochSecond() * 1_000_000_000L + 123_456 + time.nowNs();
  }

  private SimulatedFileSystem machine(String name) {
    return machines.computeIfAbsent(name, _ -> new SimulatedFileSystem(name,
        disks.computeIfAbsent(name, _ -> new SimulatedDisk(this::wallNs)), shared, counting));
  }

  private void begin(String... more) throws IOException {
    Map<String, String> parameters = new TreeMap<>(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_COPY_TYPE", "XOR", "SCR_SMALL_BYTES", "0", "SCR_FLUSH", "0", "SCR_JOB_ID", "1",
        "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME", "cluster", "SCR_SCRUB_SECONDS", "0"));
    for (int i = 0; i < more.length; i += 2) {
      parameters.put(more[i], more[i + 1]);
    }
    cluster = new VirtualCluster(random, time, Settings.load(parameters, Optional.empty()), PREFIX,
        name -> files.computeIfAbsent(name, _ -> new LocalFiles(machine(name))), true,
        (from, to) -> new int[] {from.equals(to) ? 0 : 1});
    Files.createDirectories(machine("n1").getPath(PREFIX.toString()));
    for (String node : List.of("n1", "n2", "n3", "n4", SPARE)) {
      Files.createDirectories(machine(node).getPath("/local"));
      boot(node, "first");
    }
    start(NODES);
  }

  private void boot(String node, String id) throws IOException {
    Path random = Files.createDirectories(machine(node).getPath("/proc/sys/kernel/random"));
    Files.writeString(random.resolve("boot_id"), id + " boot of " + node + "\n");
  }

  private void start(List<String> nodes) {
    nodes.forEach(cluster::start);
    cluster.pass(Duration.ofSeconds(1));
  }

  private void kill(List<String> nodes) {
    nodes.forEach(cluster::kill);
    cluster.pass(Duration.ofSeconds(10));
  }

  private void init(List<String> nodes) {
    running = cluster.init(nodes);
  }

  private static byte[] bytes(int rank) {
    byte[] bytes = new byte[BYTES];
    new Random(rank).nextBytes(bytes);
    return bytes;
  }

  /** A checkpoint, whose ranks complete it so long after they have written it. */
  private void checkpoint(Duration old) {
    List<VirtualPhase> open = cluster.all(running, rank -> rank.startOutput("step-1", DatasetFlags.CHECKPOINT));
    List<Path> routed = cluster.all(IntStream.range(0, NODES.size()).boxed().toList(), rank ->
        open.get(rank).route(PREFIX + "/step-1/rank-" + rank));
    for (int rank = 0; rank < NODES.size(); rank++) {
      write(cluster.file(NODES.get(rank), routed.get(rank)), bytes(rank));
    }
    cluster.pass(old);
    cluster.all(open, phase -> phase.complete(true));
  }

  private void write(Path path, byte[] bytes) {
    try {
      Files.setLastModifiedTime(Files.write(path, bytes), FileTime.from(cluster.now()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A run with one checkpoint of which everything is sealed at its end. */
  private void sealedCheckpoint(String... more) throws IOException {
    begin(more);
    init(NODES);
    checkpoint(Duration.ofSeconds(1));
    end();
    assertThat(NODES).allMatch(this::isSealed);
  }

  private void end() {
    cluster.all(running, VirtualSession::finish);
    cluster.pass(Duration.ofSeconds(1));
  }

  private DatasetRecord filemap(String node) {
    return cluster.store(node).find(1).orElseThrow();
  }

  private boolean isSealed(String node) {
    return filemap(node).ranks().stream().allMatch(rank -> areSealed(rank) && rank.redundancy().isPresent()
        == rank.seals().redundancy().isPresent());
  }

  private static boolean areSealed(RankRecord rank) {
    return rank.seals().files().size() == rank.files().files().size()
        && rank.seals().files().stream().allMatch(Optional::isPresent);
  }

  private Path cached(int rank) {
    String node = NODES.get(rank);
    return cluster.store(node).directory(1).resolve(
        filemap(node).rank(rank).orElseThrow().files().files().getFirst().name());
  }

  private Path redundancy(int rank) {
    return cluster.store(NODES.get(rank)).redundancy(1, rank).orElseThrow();
  }

  /** A bit flips without a trace in the attributes of the file. */
  private void rot(int rank, Path path, int at) {
    machine(NODES.get(rank)).find((UserspacePath) path).rot(at);
  }

  /** What daemons have read of the caches until init is answered. */
  private Map<String, Integer> readByInit(List<String> nodes) {
    read.clear();
    init(nodes);
    return Map.copyOf(read);
  }

  private static int sum(Map<String, Integer> read) {
    return read.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Whether a checkpoint is offered; if so, it has the right bytes on these nodes. */
  private boolean restarts(List<String> nodes) {
    List<Optional<VirtualPhase>> offered = cluster.all(running, VirtualSession::restart);
    if (offered.getFirst().isEmpty()) {
      return false;
    }
    for (int rank = 0; rank < nodes.size(); rank++) {
      Path routed = cluster.answer(offered.get(rank).orElseThrow().route("rank-" + rank));
      assertThat(cluster.file(nodes.get(rank), routed)).hasBinaryContent(bytes(rank));
    }
    cluster.all(offered, phase -> phase.orElseThrow().complete(true));
    return true;
  }

  @ParameterizedTest
  @ValueSource(strings = {"SINGLE", "PARTNER", "XOR", "RS"})
  void withFullCachesNothingIsReadNeitherByTheseDaemonsNorByLaterOnes(String scheme) throws IOException {
    sealedCheckpoint("SCR_COPY_TYPE", scheme);
    assertThat(readByInit(NODES)).isEmpty();
    assertThat(restarts(NODES)).isTrue();
    end();
    cluster.pass(Duration.ofHours(5));
    kill(NODES);
    start(NODES);
    assertThat(readByInit(NODES)).isEmpty();
    assertThat(restarts(NODES)).isTrue();
  }

  /** Where the kernel's clock may not have gone on since they were written. */
  @Test
  void filesThatWereYoungAreReadOnceAndSealedAfterTheRun() throws IOException {
    begin();
    init(NODES);
    checkpoint(Duration.ZERO);
    assertThat(filemap("n1").rank(0).orElseThrow().seals().files()).isEmpty();
    read.clear();
    end();
    assertThat(read.get(cached(0).toString())).isEqualTo(BYTES);
    assertThat(NODES).allMatch(this::isSealed);
    assertThat(readByInit(NODES)).isEmpty();
  }

  @Test
  void whatSomebodyHasTouchedIsReadAlone() throws IOException {
    sealedCheckpoint();
    write(cached(1), bytes(1));
    cluster.pass(Duration.ofSeconds(1));
    assertThat(readByInit(NODES)).isEqualTo(Map.of(cached(1).toString(), BYTES));
    assertThat(restarts(NODES)).isTrue();
    end();
    assertThat(readByInit(NODES)).as("sealed anew").isEmpty();
  }

  @Test
  void otherBytesAreRebuilt() throws IOException {
    sealedCheckpoint();
    byte[] other = bytes(1);
    other[5]++;
    FileTime before = Files.getLastModifiedTime(cached(1));
    Files.setLastModifiedTime(Files.write(cached(1), other), before);
    init(NODES);
    assertThat(restarts(NODES)).isTrue();
  }

  @Test
  void onAnotherBootEverythingIsRead() throws IOException {
    sealedCheckpoint();
    kill(NODES);
    for (String node : NODES) {
      boot(node, "second");
    }
    start(NODES);
    Map<String, Integer> all = readByInit(NODES);
    for (int rank = 0; rank < NODES.size(); rank++) {
      assertThat(all.get(cached(rank).toString())).isEqualTo(BYTES);
      assertThat(all).as("its header").containsKey(redundancy(rank).toString());
    }
    end();
    assertThat(readByInit(NODES)).as("sealed on this boot").isEmpty();
  }

  /** As a loss of power may leave it: the attributes, and not the bytes. */
  @Test
  void whatAnotherBootHasChangedWithoutATraceIsRebuilt() throws IOException {
    sealedCheckpoint();
    Path damaged = cached(1);
    kill(NODES);
    rot(1, damaged, 7);
    boot("n2", "second");
    start(NODES);
    init(NODES);
    assertThat(restarts(NODES)).isTrue();
  }

  @Test
  void whoWantsItHasEverythingRead() throws IOException {
    sealedCheckpoint("SCR_VERIFY_ON_RESTART", "always");
    rot(1, cached(1), 7);
    Map<String, Integer> all = readByInit(NODES);
    for (int rank = 0; rank < NODES.size(); rank++) {
      assertThat(all.get(cached(rank).toString())).isGreaterThanOrEqualTo(BYTES);
    }
    assertThat(restarts(NODES)).isTrue();
  }

  /** With XOR, of two segments of each survivor and the parity for the third one. */
  @ParameterizedTest
  @CsvSource({"XOR, 3", "PARTNER, 1"})
  void aRebuildReadsOfTheSurvivorsWhatItNeedsOnceAndNothingElse(String scheme, int filesRead) throws IOException {
    sealedCheckpoint("SCR_COPY_TYPE", scheme);
    kill(List.of("n4"));
    start(List.of(SPARE));
    List<String> nodes = List.of("n1", "n2", "n3", SPARE);
    Map<String, Integer> all = readByInit(nodes);
    int headers = 2 * 4_000;
    assertThat(sum(all)).isBetween(filesRead * BYTES, filesRead * BYTES + filesRead * headers);
    for (int rank = 0; rank < 3; rank++) {
      assertThat(all.getOrDefault(cached(rank).toString(), 0)).isEqualTo(filesRead == 1 ? 0 : BYTES * 2 / 3);
    }
    assertThat(restarts(nodes)).isTrue();
    end();
    assertThat(cluster.store(SPARE).find(1)).isPresent();
  }

  /** The rebuild comes out wrong; then everything is read, the survivor counts as lost, too, and both are rebuilt. */
  @Test
  void whatARebuildFindsWrongIsLookedFor() throws IOException {
    sealedCheckpoint("SCR_COPY_TYPE", "RS", "SCR_SET_FAILURES", "2");
    kill(List.of("n4"));
    rot(0, cached(0), 7);
    start(List.of(SPARE));
    List<String> nodes = List.of("n1", "n2", "n3", SPARE);
    init(nodes);
    assertThat(restarts(nodes)).isTrue();
  }

  /** As before; nothing wrong is handed out, and nothing is offered where there is no other checkpoint. */
  @Test
  void moreThanTheSchemeSurvivesIsRefused() throws IOException {
    sealedCheckpoint();
    kill(List.of("n4"));
    rot(0, cached(0), 7);
    start(List.of(SPARE));
    init(List.of("n1", "n2", "n3", SPARE));
    assertThat(restarts(List.of("n1", "n2", "n3", SPARE))).isFalse();
  }

  /** Made of these bytes, new redundancy would hide for good what the old one, which comes back, can repair. */
  @ParameterizedTest
  @ValueSource(ints = {500, 1_500, 2_500})
  void nothingIsMadeOfFilesThatChangedWithoutATrace(int at) throws IOException {
    sealedCheckpoint("SCR_HEAL_SECONDS", "1", "SCR_VERIFY_ON_RESTART", "always");
    start(List.of(SPARE));
    rot(0, cached(0), at);
    kill(List.of("n4"));
    cluster.pass(Duration.ofSeconds(60));
    start(List.of("n4"));
    cluster.pass(Duration.ofSeconds(60));
    init(NODES);
    assertThat(restarts(NODES)).isTrue();
  }

  /** Another member describes the lost files, too. */
  @Test
  void aWrongHeaderThatASealHidesIsFoundByTheRebuild() throws IOException {
    sealedCheckpoint("SCR_COPY_TYPE", "RS", "SCR_SET_FAILURES", "2");
    kill(List.of("n4"));
    rot(0, redundancy(0), 40);
    start(List.of(SPARE));
    List<String> nodes = List.of("n1", "n2", "n3", SPARE);
    init(nodes);
    assertThat(restarts(nodes)).isTrue();
  }

  /** What the scrub has found and nobody could repair stays known to daemons that have started since. */
  @Test
  void theScrubFindsWhatChangesWithoutATraceAndTheSealGoes() throws IOException {
    sealedCheckpoint("SCR_COPY_TYPE", "SINGLE", "SCR_SCRUB_SECONDS", "100");
    rot(1, cached(1), 7);
    cluster.pass(Duration.ofSeconds(300));
    assertThat(filemap("n2").rank(1).orElseThrow().seals().files()).isEmpty();
    kill(NODES);
    start(NODES);
    init(NODES);
    assertThat(restarts(NODES)).isFalse();
  }
}
