package io.vertxscr.system;

import io.vertx.core.Vertx;
import io.vertxscr.cli.CliRun;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.recorded.States;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Work of {@link KillAtEveryWriteIT}: daemons and commands whose every change is recorded. A process of its own, with a
 * recorded file system for the default one. Each piece of work is in {@code <name>/work}, its states are in
 * {@code <name>/states}.
 */
final class RecordedWork {
  static final String[] NODES = {"n1", "n2", "n1"};
  static final int FILES_OF_A_RANK = 3;
  static final int OLD = 1;
  static final int NEW = 2;

  private RecordedWork() {}

  /** Flushes by daemons: a second checkpoint is added to a prefix directory with one. */
  enum Flush {
    FILES(Map.of()),
    CONTAINERS(Map.of("SCR_USE_CONTAINERS", "1", "SCR_CONTAINER_SIZE", "40000")),
    COMPRESSED(Map.of()),
    /** The run dies before it flushes the second one. */
    SCAVENGE_BY_DAEMONS(Map.of("SCR_FLUSH", "100", "SCR_SCAVENGE_SECONDS", "1"));

    private final Map<String, String> more;

    Flush(Map<String, String> more) {
      this.more = more;
    }

    TestCluster cluster(Vertx vertx, Path work) throws IOException {
      if (this == COMPRESSED) {
        return new TestCluster(vertx, work, compressing(work), "n1", "n2");
      }
      TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).flushing(1, false).with("SCR_LOG_ENABLE", "0");
      for (var parameter : more.entrySet()) {
        setup = setup.with(parameter.getKey(), parameter.getValue());
      }
      return new TestCluster(vertx, work, setup, "n1", "n2");
    }

    private static RunPolicy compressing(Path work) {
      StoreDescriptor store = StoreDescriptor.of(work.resolve("cache").toString(), 1);
      CheckpointDescriptor descriptor = new CheckpointDescriptor(
          0, true, 1, GroupDescriptors.NODE, store.base(), Redundancy.of(Scheme.XOR, 8), false);
      return RunPolicy.of(new Descriptors(List.of(descriptor), OptionalInt.empty(), List.of(store),
          GroupDescriptors.BUILT_IN, new TreeMap<>(Map.of(0, new Compression(1)))), FlushPolicy.every(1, false));
    }

    /** Writes the second one; returns when it is in the prefix directory. */
    void bringNew(TestCluster cluster) throws Exception {
      if (this != SCAVENGE_BY_DAEMONS) {
        cluster.steps(NEW, NEW, NODES);
        return;
      }
      cluster.all(scr -> {
        RankProgram.restart(scr, FILES_OF_A_RANK);
        RankProgram.checkpoint(scr, cluster.prefix(), NEW, FILES_OF_A_RANK);
        return 0;
      }, NODES);
      Eventually.holds("the scavenge", () -> cluster.restartable().contains(NEW));
    }
  }

  /** Commands after the loss of a node: datasets 1 and 2 are cached, 1 is in the prefix directory. */
  enum Command {
    SCAVENGE(List.of(), List.of("scavenge", "--id", "2")),
    SCAVENGE_PACKED(List.of(), List.of("scavenge", "--id", "2")),
    ADD(List.of("copy", "--id", "2"), List.of("index", "--add", "2")),
    BUILD(List.of("copy", "--id", "2"), List.of("index", "--build")),
    CURRENT(List.of("scavenge", "--id", "2"), List.of("index", "--current", "b.1")),
    DROP(List.of("scavenge", "--id", "2"), List.of("index", "--drop", "b.1")),
    DROP_AFTER(List.of("scavenge", "--id", "2"), List.of("index", "--drop-after", "b.1"));

    private final List<String> before;
    private final List<String> recorded;

    Command(List<String> before, List<String> recorded) {
      this.before = before;
      this.recorded = recorded;
    }

    /** The caches that it begins with, in an empty directory. */
    TestCaches caches(Path work) {
      var caches = new TestCaches(work, Scheme.XOR, 3, 1, 1000);
      return name().endsWith("PACKED")
          ? caches.flushed(FlushDescriptor.packed(4096, 1)) : caches;
    }

    /** Once, or again. */
    CliRun run(Path work) {
      return run(work, recorded);
    }

    private static CliRun run(Path work, List<String> words) {
      List<Object> line = new ArrayList<>(words);
      line.addAll(List.of("--prefix", work.resolve("prefix")));
      if (!words.getFirst().equals("index")) {
        line.addAll(List.of("--control", work.resolve("control")));
      }
      return CliRun.of(Map.of(), line.toArray());
    }

    private void record(Path directory) throws IOException {
      Path work = directory.resolve("work");
      TestCaches caches = caches(work);
      caches.dataset(OLD, "b.1");
      good(run(work, List.of("scavenge", "--id", "1")));
      caches.dataset(NEW, "b.2");
      if (this == BUILD) {
        caches.dataset(NEW + 1, "b.3");
      }
      caches.lose("n1");
      if (!before.isEmpty()) {
        good(run(work, before));
      }
      if (this == BUILD) {
        good(run(work, List.of("copy", "--id", "3")));
      }
      States.begin(work, directory.resolve("states"), List.of(work));
      good(run(work));
      States.end();
    }

    private static void good(CliRun ran) {
      if (ran.exit() != 0) {
        throw new IllegalStateException(ran.toString());
      }
    }
  }

  private static void record(Flush flush, Path directory, Vertx vertx) throws Exception {
    Path work = Files.createDirectories(directory.resolve("work"));
    try (TestCluster cluster = flush.cluster(vertx, work)) {
      cluster.steps(OLD, OLD, NODES);
      States.begin(work, directory.resolve("states"), List.of(work.resolve("prefix"), work.resolve("cntl")));
      flush.bringNew(cluster);
      States.end();
    }
  }

  /** Exits in any case. @param arguments the directory of all */
  public static void main(String[] arguments) {
    try {
      recordAll(Path.of(arguments[0]));
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void recordAll(Path all) throws Exception {
    Vertx vertx = Vertx.vertx();
    for (Flush flush : Flush.values()) {
      record(flush, Files.createDirectory(all.resolve(flush.name())), vertx);
    }
    vertx.close().await();
    for (Command command : Command.values()) {
      command.record(Files.createDirectory(all.resolve(command.name())));
    }
  }
}
