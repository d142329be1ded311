package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.config.Settings;
import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a checkpoint without redundancy is complete before anybody has read it. A restart uses it unread only where
 * nobody has touched it, on the same boot of the machines, and no sync of it has failed; who copies it knows its
 * checksums.
 *
 * <p>Method: two nodes with a rank each in virtual time, on RAM disks, and a prefix directory that takes no files until
 * it is told to. Replay with -Dseed=N.
 */
class UnreadDatasetsTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final Path PREFIX = Path.of("/pfs/prefix");
  private static final List<String> NODES = List.of("n1", "n2");
  private static final int BYTES = 1_000;

  private final Random random = new Random(SEED);
  private final VirtualTime time = new VirtualTime(random);
  private final SimulatedDisk shared = new SimulatedDisk(this::wallNs);
  private final Map<String, SimulatedFileSystem> machines = new HashMap<>();
  private final Map<String, LocalFiles> files = new HashMap<>();
  private VirtualCluster cluster;
  private boolean takesFiles;
  /** The type of the file systems, and whether files in caches cannot be synced. */
  private String kind = "tmpfs";
  private boolean failsSyncs;
  /** How often a rank's file is there and cannot be opened, as there are too many open files. */
  private int opensToFail;
  /** Happens once, at a write of what is flushed of rank 0. */
  private Runnable whileCopying = () -> {};
  /** How often daemons have opened ranks' files in caches. */
  private int opened;

  private final SimulatedFileSystem.Interference disks = new SimulatedFileSystem.Interference() {
    @Override
    public void before(Operation operation, boolean onShared, Path path) throws IOException {
      if (onShared && operation == Operation.CREATE && !takesFiles && path.toString().contains("/step-")) {
        throw new IOException("Input/output error");
      }
      if (onShared && operation == Operation.WRITE && path.toString().contains("rank-0")) {
        Runnable once = whileCopying;
        whileCopying = () -> {};
        once.run();
      }
      if (failsSyncs && !onShared && operation == Operation.SYNC && path.toString().contains("/rank.")) {
        throw new IOException("Input/output error");
      }
      boolean opens = !onShared && operation == Operation.OPEN && time.isInJob();
      if (opens && opensToFail > 0 && path.toString().contains("/rank.")) {
        opensToFail--;
        throw new IOException("Too many open files");
      }
      opened += opens && path.toString().contains("/rank.") ? 1 : 0;
    }

    @Override
    public String kind() {
      return kind;
    }
  };

  private long wallNs() {
    return VirtualCluster.BEGINNING.getEpochSecond() * 1_000_000_000L + time.nowNs();
  }

  private SimulatedFileSystem machine(String name) {
    return machines.computeIfAbsent(
        name, _ -> new SimulatedFileSystem(name, new SimulatedDisk(this::wallNs), shared, disks));
  }

  private void begin(Map<String, String> more) throws IOException {
    Map<String, String> parameters = new TreeMap<>(Map.of("SCR_CNTL_BASE", "/local/cntl", "SCR_CACHE_BASE",
        "/local/cache", "SCR_COPY_TYPE", "SINGLE", "SCR_SMALL_BYTES", "0", "SCR_FLUSH", "1", "SCR_JOB_ID", "1",
        "SCR_JOB_NAME", "test", "SCR_USER_NAME", "user", "SCR_CLUSTER_NAME", "cluster"));
    parameters.putAll(more);
    cluster = new VirtualCluster(random, time, Settings.load(parameters, Optional.empty()), PREFIX,
        name -> files.computeIfAbsent(name, _ -> new LocalFiles(machine(name))), true,
        (from, to) -> new int[] {from.equals(to) ? 0 : 1});
    Files.createDirectories(machine("n1").getPath(PREFIX.toString()));
    for (String node : NODES) {
      Files.createDirectories(machine(node).getPath("/local"));
    }
    boot("first");
    start();
  }

  private void boot(String id) throws IOException {
    for (String node : NODES) {
      Path random = machine(node).getPath("/proc/sys/kernel/random");
      Files.createDirectories(random);
      Files.writeString(random.resolve("boot_id"), id + " boot of " + node + "\n");
    }
  }

  private void start() {
    NODES.forEach(cluster::start);
    cluster.pass(Duration.ofSeconds(1));
  }

  private void kill() {
    NODES.forEach(cluster::kill);
    cluster.pass(Duration.ofSeconds(10));
  }

  private static byte[] bytes(int rank) {
    byte[] bytes = new byte[BYTES];
    new Random(rank).nextBytes(bytes);
    return bytes;
  }

  /** A phase of all ranks; at its end, nothing more has happened. */
  private void write(List<VirtualSession> ranks) {
    List<VirtualPhase> open = cluster.all(ranks, rank -> rank.startOutput("step-1", DatasetFlags.CHECKPOINT));
    for (int rank = 0; rank < NODES.size(); rank++) {
      Path routed = cluster.answer(open.get(rank).route(PREFIX + "/step-1/rank-" + rank));
      write(cluster.file(NODES.get(rank), routed), bytes(rank));
    }
    cluster.all(open, phase -> phase.complete(true));
  }

  private void write(Path path, byte[] bytes) {
    try {
      Files.setLastModifiedTime(Files.write(path, bytes), FileTime.from(cluster.now()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path cached(int rank) {
    Path dataset = cluster.store(NODES.get(rank)).directory(1);
    return dataset.resolve(cluster.store(NODES.get(rank)).find(1).orElseThrow().rank(rank).orElseThrow().files().files()
        .getFirst().name());
  }

  private List<DatasetRecord> filemaps() {
    return NODES.stream().map(node -> cluster.store(node).find(1).orElseThrow()).toList();
  }

  /** What the ranks are offered, which has the right bytes; how often daemons have opened a file for that. */
  private Optional<Integer> restart(List<String> nodes) {
    opened = 0;
    List<VirtualSession> ranks = cluster.init(nodes);
    int forInit = opened;
    List<Optional<VirtualPhase>> offered = cluster.all(ranks, VirtualSession::restart);
    if (offered.getFirst().isEmpty()) {
      return Optional.empty();
    }
    for (int rank = 0; rank < NODES.size(); rank++) {
      Path routed = cluster.answer(offered.get(rank).orElseThrow().route("rank-" + rank));
      assertThat(cluster.file(nodes.get(rank), routed)).hasBinaryContent(bytes(rank));
    }
    cluster.all(offered, phase -> phase.orElseThrow().complete(true));
    return Optional.of(forInit);
  }

  private void writeUnread(Map<String, String> parameters) throws IOException {
    begin(parameters);
    List<VirtualSession> ranks = cluster.init(NODES);
    opened = 0;
    write(ranks);
    assertThat(opened).as("files read for the answer").isZero();
    assertThat(filemaps()).allMatch(DatasetRecord::hasUnread);
  }

  private void awaitKnown() {
    cluster.awaits("all checksums", () -> filemaps().stream().noneMatch(DatasetRecord::hasUnread));
  }

  @Test
  void onTheSameBootItIsOfferedUnread() throws IOException {
    writeUnread(Map.of());
    kill();
    start();
    assertThat(filemaps()).allMatch(DatasetRecord::hasUnread);
    assertThat(restart(NODES)).hasValue(0);
  }

  @Test
  void onAnotherBootItIsNotOffered() throws IOException {
    writeUnread(Map.of());
    kill();
    boot("second");
    start();
    assertThat(restart(NODES)).isEmpty();
  }

  @Test
  void whatSomebodyHasTouchedIsNotOffered() throws IOException {
    writeUnread(Map.of());
    kill();
    start();
    write(cached(1), bytes(1));
    assertThat(restart(NODES)).isEmpty();
  }

  /** As after a loss of power that has kept the files: they are compared with their checksums. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void itsFlushMakesItsChecksumsKnownAndThenAnotherBootDoesNotMatter(String containers) throws IOException {
    writeUnread(Map.of("SCR_USE_CONTAINERS", containers));
    takesFiles = true;
    cluster.awaits("the flush", () -> filemaps().stream().allMatch(held -> held.flush() == FlushState.DONE));
    assertThat(filemaps()).noneMatch(DatasetRecord::hasUnread);
    kill();
    boot("second");
    start();
    assertThat(restart(NODES).orElseThrow()).as("files read by init").isPositive();
  }

  @Test
  void whatNoFlushWillReadIsReadBehindTheAnswer() throws IOException {
    writeUnread(Map.of("SCR_FLUSH", "0"));
    awaitKnown();
    assertThat(opened).as("once").isEqualTo(NODES.size());
  }

  @Test
  void whoMovesItToOtherNodesKnowsItsChecksums() throws IOException {
    writeUnread(Map.of());
    kill();
    start();
    assertThat(restart(NODES.reversed())).isPresent();
    for (int rank = 0; rank < NODES.size(); rank++) {
      DatasetRecord moved = cluster.store(NODES.reversed().get(rank)).find(1).orElseThrow();
      assertThat(moved.rank(rank).orElseThrow().files().hasUnread()).isFalse();
    }
  }

  @Test
  void whoFlushesFromItWhatSomebodyHasTouchedPublishesNothing() throws IOException {
    writeUnread(Map.of());
    write(cached(0), bytes(7));
    takesFiles = true;
    cluster.pass(Duration.ofMinutes(5));
    assertThat(machine("n1").getPath(PREFIX + "/step-1/rank-0")).doesNotExist();
    assertThat(filemaps()).noneMatch(held -> held.flush() == FlushState.DONE);
  }

  /** On disks, which are to bring it to stable storage behind the answer and cannot. */
  private void writeUnsyncable(Map<String, String> parameters) throws IOException {
    kind = "ext4";
    failsSyncs = true;
    writeUnread(parameters);
    cluster.awaits("the failed syncs", () -> NODES.stream().allMatch(node -> cluster.store(node).hasLostWrites(1)));
    failsSyncs = false;                                   // the next one would succeed, without what was lost
  }

  @Test
  void whatCouldNotBeOpenedToBeSyncedHasLostNothing() throws IOException {
    kind = "ext4";
    opensToFail = NODES.size();
    writeUnread(Map.of());
    cluster.awaits("the syncs that fail", () -> opensToFail == 0);
    cluster.pass(Duration.ofSeconds(5));
    assertThat(filemaps()).allMatch(DatasetRecord::hasUnread);
    kill();
    start();
    assertThat(restart(NODES)).isPresent();
  }

  /** What its files have now may be what they had, and nobody can tell. */
  @Test
  void whatCouldNotBeSyncedIsNotOffered() throws IOException {
    writeUnsyncable(Map.of());
    for (String node : NODES) {
      Path filemap = cluster.store(node).directories().filemap(1);
      DatasetRecord written = FilemapFile.decode(Files.readAllBytes(filemap));
      assertThat(written).as("for who reads no marks").isEqualTo(written.withLostWrites());
    }
    kill();
    start();
    assertThat(restart(NODES)).isEmpty();
    assertThat(filemaps()).as("its checksums stay unknown").allMatch(DatasetRecord::hasUnread);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1"})
  void whoFlushesFromItWhatCouldNotBeSyncedPublishesNothing(String containers) throws IOException {
    writeUnsyncable(Map.of("SCR_USE_CONTAINERS", containers));
    takesFiles = true;
    cluster.pass(Duration.ofMinutes(5));
    assertThat(machine("n1").getPath(PREFIX + "/step-1/rank-0")).doesNotExist();
    assertThat(filemaps()).noneMatch(held -> held.flush() == FlushState.DONE).allMatch(DatasetRecord::hasUnread);
  }

  /** What is read behind the failure may be what was lost. */
  @Test
  void whatCouldNotBeSyncedWhileItWasCopiedIsNotPublished() throws IOException {
    takesFiles = true;
    whileCopying = () -> {
      failsSyncs = true;
      assertThatThrownBy(() -> cluster.store("n1").sync(1, filemaps().getFirst().ranks().stream()
          .map(DatasetRecord.RankRecord::files).toList())).hasMessageContaining("Input/output error");
      failsSyncs = false;
    };
    writeUnread(Map.of());
    cluster.awaits("the failed sync", () -> cluster.store("n1").hasLostWrites(1));
    cluster.pass(Duration.ofMinutes(5));
    assertThat(machine("n1").getPath(PREFIX + "/step-1/rank-0")).doesNotExist();
    assertThat(filemaps()).noneMatch(held -> held.flush() == FlushState.DONE);
  }
}
