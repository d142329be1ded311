package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Process of {@link NoPermissionIT} without root's permissions. Takes the right to write from one place of the prefix
 * directory after the other, while a run goes on, and gives it back.
 */
final class PermissionWork {
  private static final String[] NODES = {"n1", "n2"};
  private static final Set<PosixFilePermission> NOTHING_WRITTEN = PosixFilePermissions.fromString("r-xr-xr-x");

  private final Path directory;
  private final Vertx vertx;
  private final List<String> causes = new CopyOnWriteArrayList<>();

  private PermissionWork(Path directory, Vertx vertx) {
    this.directory = directory;
    this.vertx = vertx;
    vertx.eventBus().<JsonObject>consumer(Addresses.EVENTS, event -> {
      if (event.body().getString("type").equals("flush-failed")) {
        causes.add(event.body().getString("cause"));
      }
    });
  }

  /** Place without permission, and kind of the flush. */
  enum Place {
    PREFIX("", true, false),
    METADATA(".scr", false, false),
    LOCK(".scr/index.lock", false, false),
    FILES("step-2", true, false),
    CONTAINERS(".scr/scr.dataset.2", true, true);

    private final String path;
    private final boolean isMade;
    private final boolean packed;

    Place(String path, boolean isMade, boolean packed) {
      this.path = path;
      this.isMade = isMade;
      this.packed = packed;
    }
  }

  private void withoutPermission(Place place) throws Exception {
    causes.clear();
    Path work = Files.createDirectories(directory.resolve(place.name()));
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).cached(1).flushing(1, true)
        .with("SCR_USE_CONTAINERS", place.packed ? "1" : "0");
    try (TestCluster cluster = new TestCluster(vertx, work, setup, NODES)) {
      cluster.steps(1, 1, NODES);
      Path locked = cluster.prefix().resolve(place.path);
      Set<PosixFilePermission> before = Files.getPosixFilePermissions(cluster.prefix().resolve(".scr"));
      try {
        cluster.all(scr -> {
          RankProgram.restart(scr, 3);
          if (scr.rank() == 0) {                          // the other one waits for it in its next phase
            if (place.isMade) {
              Files.createDirectories(locked);
            }
            Files.setPosixFilePermissions(locked, NOTHING_WRITTEN);
          }
          RankProgram.checkpoint(scr, cluster.prefix(), 2, 3);
          return 0;
        }, NODES);
        Eventually.holds("an event that says where " + causes, () -> causes.stream().anyMatch(
            cause -> cause.contains(locked.toString()) && cause.contains("no permission")));
        assertThat(cluster.held("n1")).as(place + ": cached").contains(2);
        assertThat(cluster.held("n2")).as(place + ": cached").contains(2);
        assertThat(cluster.restartable()).containsExactly(1);
        commands(cluster.prefix(), locked);
      } finally {
        Files.setPosixFilePermissions(locked, before);
      }
      Eventually.holds("the flush", () -> cluster.restartable().contains(2));
      assertThat(DatasetVerification.verify(new PrefixPaths(cluster.prefix()), 2).problems()).isEmpty();
    }
    System.out.println("good: " + place);
  }

  /** Readers need no write permission; writers report where it is missing. */
  private static void commands(Path prefix, Path locked) {
    for (String action : List.of("--list", "--verify")) {
      CliRun ran = CliRun.of(Map.of(), "index", "--prefix", prefix, action);
      assertThat(ran).as(action).returns(0, CliRun::exit);
    }
    if (locked.startsWith(prefix.resolve(".scr")) && !locked.endsWith("scr.dataset.2")) {
      CliRun ran = CliRun.of(Map.of(), "index", "--prefix", prefix, "--drop", "step-1");
      assertThat(ran.exit()).as(ran.toString()).isNotZero();
      assertThat(ran.err()).startsWith("scr: " + locked).contains("no permission");
    }
  }

  /** Without daemons: files that could not be copied stay in the caches. The same command copies them later. */
  private static void scavenge(Path work) throws IOException {
    TestCaches caches = new TestCaches(work, Scheme.XOR, 3, 1, 1000);
    caches.dataset(1, "b.1");
    for (String command : List.of("scavenge", "copy")) {
      Files.setPosixFilePermissions(caches.prefix, NOTHING_WRITTEN);
      CliRun ran = CliRun.of(Map.of(), command, "--id", "1", "--prefix", caches.prefix, "--control", caches.control);
      assertThat(ran.exit()).as("%s: %s", command, ran).isNotZero();
      assertThat(ran.out() + ran.err()).contains(caches.prefix + " cannot be written to");
      Files.setPosixFilePermissions(caches.prefix, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    CliRun again = CliRun.of(
        Map.of(), "scavenge", "--id", "1", "--prefix", caches.prefix, "--control", caches.control);
    assertThat(again).returns(0, CliRun::exit);
    assertThat(DatasetVerification.verify(new PrefixPaths(caches.prefix), 1).problems()).isEmpty();
    System.out.println("good: commands");
  }

  /** Exits in any case. @param arguments an empty directory */
  public static void main(String[] arguments) {
    try {
      Vertx vertx = Vertx.vertx();
      PermissionWork work = new PermissionWork(Path.of(arguments[0]), vertx);
      requireBits(Path.of(arguments[0]));
      for (Place place : Place.values()) {
        work.withoutPermission(place);
      }
      scavenge(Path.of(arguments[0]).resolve("commands"));
      System.exit(0);
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  /** Else all that follows would show nothing. */
  private static void requireBits(Path directory) throws IOException {
    Path locked = Files.createDirectory(directory.resolve("locked"));
    Files.setPosixFilePermissions(locked, NOTHING_WRITTEN);
    assertThat(Files.isWritable(locked)).as("permissions mean something here").isFalse();
  }
}
