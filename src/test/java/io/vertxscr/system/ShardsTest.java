package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertxscr.client.ShardRange;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import io.vertxscr.simulation.VirtualSession.VirtualPhase;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: any number of ranks restarts from a checkpoint of shards, and each gets every byte.
 * Checkpoints bound to ranks keep their rules. Method: nodes in virtual time, four ranks that write; each of the others
 * reads every shard, by path and by base name, whole and in ranges. Replay with -Dseed=N.
 */
@Timeout(120)
class ShardsTest {
  private static final String[] FOUR = {"n1", "n2", "n3", "n4"};
  private static final long SEED = Long.getLong("seed", 1);
  private static final int PARTS = 3;

  @TempDir
  private Path directory;
  private VirtualCluster cluster;

  private void begin(String... more) throws IOException {
    Map<String, String> parameters = new HashMap<>(Map.of("SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2"));
    for (int i = 0; i < more.length; i += 2) {
      parameters.put(more[i], more[i + 1]);
    }
    cluster = VirtualClusters.in(new Random(SEED), directory.resolve("cluster"), parameters);
    cluster.start(FOUR);
    cluster.launch();
  }

  private static byte[] bytes(int step, int rank, int part) {
    byte[] bytes = new byte[part == 1 ? 0 : 70_001 + 13 * rank + part];
    new Random(step * 1_000L + rank * 10L + part).nextBytes(bytes);
    return bytes;
  }

  private static String path(int step, int rank, int part) {
    return "step-" + step + "/part-" + rank + "-" + part;
  }

  /** Each rank writes its parts, the last one the table of all of them too, which is a shard like the others. */
  private Future<Void> write(VirtualSession session, int step, DatasetFlags flags, String... nodeOfRank) {
    int rank = session.rank();
    return session.startOutput("step-" + step, flags).compose(phase -> {
      List<Future<Void>> written = new ArrayList<>();
      for (int part = 0; part < PARTS; part++) {
        byte[] content = bytes(step, rank, part);
        written.add(phase.route(cluster.prefix() + "/" + path(step, rank, part)).map(file -> put(file, content)));
      }
      if (rank == nodeOfRank.length - 1) {
        String table = IntStream.range(0, nodeOfRank.length).boxed().flatMap(of -> IntStream.range(0, PARTS)
            .mapToObj(part -> of + " " + part)).collect(Collectors.joining("\n"));
        written.add(phase.route(cluster.prefix() + "/step-" + step + "/table").map(file ->
            put(file, table.getBytes(StandardCharsets.UTF_8))));
      }
      return Future.all(written).compose(_ -> phase.complete(true));
    });
  }

  private Void put(Path file, byte[] content) {
    try {
      Files.setLastModifiedTime(Files.write(file, content), FileTime.from(cluster.now()));
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void steps(int first, int last, DatasetFlags flags, String... nodeOfRank) {
    new VirtualRun(cluster, nodeOfRank).all(session -> {
      Future<Void> written = Future.succeededFuture();
      for (int step = first; step <= last; step++) {
        int number = step;
        written = written.compose(_ -> write(session, number, flags, nodeOfRank));
      }
      return written.compose(_ -> session.finish());
    });
    cluster.launch();
  }

  private static byte[] content(ShardReply reply) {
    try {
      byte[] all = Files.readAllBytes(Path.of(reply.file()));
      return Arrays.copyOfRange(all, (int) reply.offset(), (int) (reply.offset() + reply.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads every shard of the table: whole, a range of it, and with and without its writer. */
  private Future<Integer> read(VirtualPhase phase) {
    int step = Integer.parseInt(phase.name().substring("step-".length()));
    return phase.route("table").compose(table -> {
      Future<Void> all = Future.succeededFuture();
      for (String line : content(table).lines().toList()) {
        int rank = Integer.parseInt(line.substring(0, line.indexOf(' ')));
        int part = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
        all = all.compose(_ -> read(phase, step, rank, part));
      }
      return all;
    }).map(step);
  }

  private static String content(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Future<Void> read(VirtualPhase phase, int step, int rank, int part) {
    byte[] expected = bytes(step, rank, part);
    String path = cluster.prefix() + "/" + path(step, rank, part);
    int from = expected.length / 3;
    int length = expected.length / 2;
    return phase.shard(new ShardRange(path, from, length).of(rank)).compose(range -> {
      assertThat(content(range)).as(path).isEqualTo(Arrays.copyOfRange(expected, from, from + length));
      return phase.shard(new ShardRange("part-" + rank + "-" + part));
    }).compose(whole -> {
      assertThat(content(whole)).as(path).isEqualTo(expected);
      return phase.shard(new ShardRange(path, from, length));
    }).compose(again -> {
      assertThat(content(again)).as(path).isEqualTo(Arrays.copyOfRange(expected, from, from + length));
      return phase.route(path);
    }).map(routed -> {
      assertThat(routed).hasBinaryContent(expected);
      return null;
    });
  }

  private Future<Integer> restart(VirtualSession session) {
    return session.restart().compose(offered -> offered.isEmpty() ? Future.succeededFuture(0)
        : read(offered.get()).compose(step -> offered.get().complete(true).map(step)));
  }

  /** The step that a run restarts from, every byte read by every rank; 0 for none. */
  private int restart(String... nodeOfRank) {
    List<Integer> from = new VirtualRun(cluster, nodeOfRank).all(session ->
        restart(session).compose(step -> session.finish().map(step)));
    assertThat(from).containsOnly(from.getFirst());
    cluster.launch();
    return from.getFirst();
  }

  private static String[] ranks(int number) {
    return IntStream.range(0, number).mapToObj(rank -> FOUR[rank % FOUR.length]).toArray(String[]::new);
  }

  private void corrupt(Path file) throws IOException {
    FileTime before = Files.getLastModifiedTime(file);
    byte[] bytes = Files.readAllBytes(file);
    bytes[5_000] ^= 1;
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, before);
  }

  private Path cached(String node, int dataset, int rank, int part) {
    DatasetRecord record = cluster.store(node).find(dataset).orElseThrow();
    String path = path(dataset, rank, part);               // files are in the order in which they were routed
    return cluster.store(node).directory(dataset).resolve(record.rank(rank).orElseThrow().files().files().stream()
        .filter(file -> file.path().equals(path)).findFirst().orElseThrow().name());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 8})
  void anyNumberOfRanksReadsEveryShardOfTheCachesAndGoesOn(int number) throws Exception {
    begin();
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    assertThat(restart(ranks(number))).isEqualTo(1);
    assertThat(drafts()).as("what was brought").isEmpty();
    steps(2, 4, DatasetFlags.SHARDS, ranks(number));
    cluster.pass(Duration.ofSeconds(30));
    List<Integer> left = number == 1 ? List.of(1, 3, 4) : List.of(3, 4);
    assertThat(cluster.store("n1").list()).extracting(record -> record.descriptor().id())
        .as("superseded ones go, unless a rank that is alone cannot be protected as they are").isEqualTo(left);
    assertThat(restart(FOUR)).isEqualTo(4);
  }

  private List<Path> drafts() throws IOException {
    cluster.pass(Duration.ofSeconds(5));
    try (Stream<Path> all = Files.walk(directory.resolve("cluster/cache"))) {
      return all.filter(path -> path.getFileName().toString().endsWith(".draft")).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void theShardsOfALostNodeAreRebuilt(int number) throws Exception {
    begin();
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    cluster.kill("n4");
    cluster.loseStorage("n4");
    cluster.launch();
    String[] left = IntStream.range(0, number).mapToObj(rank -> FOUR[rank % 3]).toArray(String[]::new);
    assertThat(restart(left)).isEqualTo(1);
    assertThat(restart(left)).as("once more").isEqualTo(1);
  }

  @Test
  void beyondTheToleranceOfTheSetsThereIsNoRestart() throws Exception {
    begin();
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    for (String lost : List.of("n3", "n4")) {
      cluster.kill(lost);
      cluster.loseStorage(lost);
    }
    cluster.launch();
    assertThat(restart("n1", "n2")).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8})
  void withoutCachesTheShardsComeFromThePrefixDirectory(int number) throws Exception {
    begin("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0");
    steps(1, 2, DatasetFlags.SHARDS, FOUR);
    cluster.loseCaches(FOUR);
    cluster.launch();
    assertThat(restart(ranks(number))).isEqualTo(2);
    Trees.delete(cluster.prefix().resolve("step-2"));
    assertThat(restart(ranks(number + 1))).as("from the caches").isEqualTo(2);
  }

  @Test
  void aShardThatWasCorruptedInACacheIsRebuilt() throws Exception {
    begin();
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    corrupt(cached("n2", 1, 1, 0));
    assertThat(restart("n1", "n3")).isEqualTo(1);
  }

  @Test
  void whatIsCorruptedBehindTheVerificationIsNotHandedOut() throws Exception {
    begin();
    steps(1, 2, DatasetFlags.SHARDS, FOUR);
    List<List<Object>> heard = new VirtualRun(cluster, "n1", "n3").all(session -> session.restart().compose(first -> {
      VirtualPhase phase = first.orElseThrow();
      return (session.rank() == 0 ? Future.succeededFuture().map(_ -> corrupted("n2", 2)) : Future.succeededFuture())
          .compose(_ -> phase.shard(new ShardRange(path(2, 1, 0)).of(1)).map(_ -> Fault.INTERNAL)
              .otherwise(Fault::of))
          .compose(fault -> phase.complete(false).otherwiseEmpty().compose(_ -> restart(session))
              .compose(step -> session.finish().map(List.<Object>of(fault, step))));
    }));
    assertThat(heard.getFirst()).containsExactly(Fault.CORRUPT, 1);
    assertThat(heard.getLast().getLast()).isEqualTo(1);
  }

  private Void corrupted(String node, int dataset) {
    try {
      corrupt(cached(node, dataset, 1, 0));
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCheckpointBoundToRanksInBetweenIsPassedOver(boolean cached) throws Exception {
    begin("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "3", "SCR_COPY_TYPE", "SINGLE");
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    steps(2, 2, DatasetFlags.CHECKPOINT, FOUR);
    steps(3, 3, DatasetFlags.SHARDS, FOUR);
    corrupt(cluster.prefix().resolve(path(3, 1, 0)));
    if (cached) {
      corrupt(cached("n2", 3, 1, 0));
    } else {
      cluster.loseCaches(FOUR);
      cluster.launch();
    }
    assertThat(restart("n1", "n2")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theNewestCheckpointIsNotPassedOverBecauseItIsBoundToRanks(boolean flushed) throws Exception {
    begin("SCR_FLUSH", flushed ? "1" : "0", "SCR_FLUSH_ASYNC", "0");
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    steps(2, 2, DatasetFlags.CHECKPOINT, FOUR);
    if (flushed) {
      cluster.loseCaches(FOUR);
      cluster.launch();
    }
    assertThatThrownBy(() -> restart("n1", "n2")).hasStackTraceContaining("was written by 4 ranks, and this run has 2");
    cluster.launch();
    assertThat(new VirtualRun(cluster, FOUR).all(session -> session.restart().compose(phase ->
        phase.orElseThrow().route("part-" + session.rank() + "-0").compose(_ -> phase.get().complete(true))
            .compose(_ -> session.finish()).map(phase.get().name())))).containsOnly("step-2");
  }

  @Test
  void whatNobodyWroteOrHasIsRefusedAndChangesNothing() throws Exception {
    begin();
    steps(1, 1, DatasetFlags.SHARDS, FOUR);
    new VirtualRun(cluster, "n1", "n2").all(session -> session.restart().compose(found -> {
      VirtualPhase phase = found.orElseThrow();
      String there = path(1, 3, 2);
      long size = bytes(1, 3, 2).length;
      return refused(Fault.NO_SUCH_FILE, phase.shard(new ShardRange("part-4-0")))
          .compose(_ -> refused(Fault.NO_SUCH_FILE, phase.shard(new ShardRange("../../etc/passwd"))))
          .compose(_ -> refused(Fault.NO_SUCH_FILE, phase.shard(new ShardRange("part-3-2").of(2))))
          .compose(_ -> refused(Fault.UNKNOWN_RANK, phase.shard(new ShardRange(there).of(4))))
          .compose(_ -> refused(Fault.BAD_REQUEST, phase.shard(new ShardRange("part-3-2", 1, size))))
          .compose(_ -> refused(Fault.BAD_REQUEST, phase.shard(new ShardRange("part-3-2", size + 1, 0))))
          .compose(_ -> refused(Fault.BAD_REQUEST, phase.shard(new ShardRange("part-3-2", 0, Long.MAX_VALUE >> 11))))
          .compose(_ -> phase.shard(new ShardRange("part-3-2", size, 0)))
          .compose(empty -> {
            assertThat(content(empty)).isEmpty();
            return read(phase);
          }).compose(_ -> phase.complete(true)).compose(_ -> session.finish());
    }));
  }

  private static Future<Void> refused(Fault fault, Future<?> call) {
    return call.transform((done, failure) -> {
      assertThat(failure).as("in place of " + done).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault));
      return Future.succeededFuture();
    });
  }
}
