package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.Scenario.Rival;
import io.vertxscr.simulation.SimulatedDisk.Kept;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Another job of the same program with the same prefix directory, on machines of its own.
 *
 * <p>One that was started twice, or that its owner takes for dead, as it stood still for a while. Neither job knows of
 * the other one but by what it finds in the directory.
 *
 * <p>Its ranks write checkpoints, and start again when they have ended. Nothing of it fails but by what happens to the
 * prefix file system.
 */
final class RivalJob {
  /** Its id. */
  static final String JOB = "7";
  /** Number of its first run in the ledger. */
  static final int RUNS = 500;
  private static final int LAUNCH_MS = 500;
  private static final int MOST_BETWEEN_RUNS_MS = 5_000;

  private final Scenario scenario;
  private final Rival plan;
  private final Random random;
  private final Loop script;
  private final VirtualCluster cluster;
  private final Program program;
  private final Consumer<String> said;
  private final BiConsumer<Invariant, String> violated;
  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final List<String> hosts;
  private int runs;
  private int eventsSeen;
  /** How many attempts there were when the run that is on began, and what its ranks have read. */
  private int begun;
  private Optional<Attempt> read = Optional.empty();
  /** Why its last run has failed. */
  private Optional<String> failure = Optional.empty();
  private boolean isOver = true;

  /**
   * A job that has not begun.
   *
   * @param program whose prefix directory it uses, and whose ledger knows its bytes
   * @param shared the prefix file system
   * @param store in its place, if there is one
   */
  RivalJob(Scenario scenario, Rival plan, Random random, VirtualTime time, VirtualCluster beside, SimulatedDisk shared,
      Optional<SimulatedStore> store, Settings settings, Program program, Consumer<String> said,
      BiConsumer<Invariant, String> violated) {
    this.scenario = scenario;
    this.plan = plan;
    this.random = random;
    this.script = time.loop();
    this.program = program;
    this.said = said;
    this.violated = violated;
    this.hosts = names(scenario.nodes());
    hosts.forEach(name -> machines.put(name, new Machine(name, time,
        new SimulatedDisk(() -> VirtualCluster.wallNs(time)), shared, Machine.Watcher.NONE)));
    this.cluster = new VirtualCluster(random, time, settings, Path.of(program.prefix()),
        name -> machines.get(name).local(), beside.trace(), (_, _) -> VirtualCluster.delay(random));
    machines.values().forEach(machine -> {
      machine.isOf(cluster);
      store.ifPresent(machine::mounts);
      scenario.overtaking(machine.name).ifPresent(machine::overtakes);
    });
    cluster.cutFiles(scenario.extentBytes());
  }

  /** Of its nodes. */
  static List<String> names(int count) {
    return IntStream.range(1, count + 1).mapToObj(node -> "r" + node).toList();
  }

  /** Its daemons start; its runs follow by themselves. */
  void begin() {
    said.accept("a rival begins");
    isOver = false;
    hosts.forEach(name -> {
      cluster.start(name);
      machines.get(name).daemon(cluster.loop(name));
      scenario.prefixFailsAtStart(name, 1).ifPresent(start ->
          machines.get(name).failAt(start.operation(), true, start.failure()));
    });
    plan.pausedAfterMs().ifPresent(ms -> script.after(ms, this::pause));
    script.after(LAUNCH_MS, this::run);
  }

  /** It stands still as a whole, as its machines do when they are migrated; nobody in it notices. */
  private void pause() {
    if (cluster.alive().isEmpty()) {
      return;
    }
    said.accept("the rival stands still for " + plan.pausedMs() + " ms");
    hosts.forEach(cluster::pause);
    hosts.forEach(name -> cluster.after(name, Duration.ofMillis(plan.pausedMs()), cluster::resume));
  }

  /** Whether there is no run of it that has not ended. */
  boolean isOver() {
    return isOver;
  }

  /** Whether it has published something since the last question. Asked at each event. */
  boolean hasPublished() {
    List<JsonObject> events = cluster.bus().events();
    boolean published = false;
    for (; eventsSeen < events.size(); eventsSeen++) {
      published |= events.get(eventsSeen).getString("type").equals("flush-done");
    }
    return published;
  }

  /** Its daemons end, amid whatever they do. */
  void end() {
    List.copyOf(cluster.alive()).forEach(name -> {
      cluster.kill(name, 0);
      machines.get(name).daemon(null);
      machines.get(name).processEnds();
    });
    isOver = true;
  }

  /** As {@link #end}, and what was not synced on its own disks is lost. */
  void losePower(Kept kept) {
    end();
    machines.values().forEach(machine -> machine.disk.powerLoss(kept, random));
  }

  private void run() {
    if (isOver) {
      return;
    }
    int number = RUNS + runs++;
    read = Optional.empty();
    List<Future<Void>> ranks = IntStream.range(0, program.ledger().ranks()).mapToObj(rank -> rank(number, rank))
        .toList();
    Future.join(ranks).onComplete((_, failed) -> {
      failure = Optional.ofNullable(failed).map(Throwable::getMessage);
      said.accept("run " + number + " of the rival " + failure.map(why -> "fails: " + why).orElse("ends"));
      if (runs < plan.runs()) {
        script.after(random.nextInt(MOST_BETWEEN_RUNS_MS), this::run);
      } else {
        isOver = true;
      }
    });
  }

  private Future<Void> rank(int run, int rank) {
    String node = hosts.get(rank / program.ranksPerNode());
    ScrClient client = cluster.client(node);
    return Future.fromCompletionStage(client.init(
            new InitRequest(rank, program.ledger().ranks(), program.prefix(), "test")))
        .map(session -> {
          begun = program.ledger().all().size();
          return new VirtualSession(session);
        })
        .compose(session -> restart(session, node, rank)
            .compose(step -> checkpoints(session, run, node, rank, step + 1, step + plan.checkpoints()))
            .compose(_ -> session.finish()))
        .onFailure(failed -> {
          if (!(failed instanceof ScrException known) || known.fault() == Fault.INTERNAL) {
            violated.accept(Invariant.NO_BUGS, "rank " + rank + " of the rival: " + failed);
          }
        })
        .onComplete(_ -> client.close());
  }

  private Future<Integer> restart(VirtualSession session, String node, int rank) {
    return session.restart().compose(found -> {
      if (found.isEmpty()) {
        return Future.succeededFuture(0);
      }
      VirtualSession.VirtualPhase phase = found.get();
      Future<Void> all = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        int number = file;
        all = all.compose(_ -> phase.route("rank-" + rank + "-" + number))
            .map(path -> reads(file(node, path), phase.name(), rank, number));
      }
      return all.compose(_ -> phase.complete(true)).map(_ -> Ledger.step(phase.name()));
    });
  }

  private Void reads(Path path, String name, int rank, int file) {
    try {
      Optional<Attempt> whose = program.ledger().whose(Files.readAllBytes(path), rank, file);
      if (whose.filter(attempt -> attempt.name().equals(name) && program.ledger().mayBeComplete(attempt)).isEmpty()) {
        violated.accept(Invariant.OFFERED_IS_GOOD, "rank " + rank + " of the rival reads in " + path + " of " + name
            + " the bytes of " + whose);
      }
      read = whose;
    } catch (IOException e) {
      violated.accept(Invariant.OFFERED_IS_GOOD, "rank " + rank + " of the rival cannot read " + path + ": " + e);
    }
    return null;
  }

  private Future<Void> checkpoints(VirtualSession session, int run, String node, int rank, int first, int last) {
    return first > last ? Future.succeededFuture()
        : checkpoint(session, run, node, rank, first)
            .compose(_ -> checkpoints(session, run, node, rank, first + 1, last));
  }

  private Future<Void> checkpoint(VirtualSession session, int run, String node, int rank, int step) {
    return session.startOutput("step-" + step, DatasetFlags.CHECKPOINT).compose(phase -> {
      Attempt attempt = program.ledger().attempt(run, step, DatasetFlags.CHECKPOINT);
      Future<Void> written = Future.succeededFuture();
      for (int file = 0; file < scenario.files(); file++) {
        byte[] bytes = Ledger.bytes(attempt, rank, file);
        String name = program.prefix() + "/" + scenario.path(step, rank, file);
        written = written.compose(_ -> phase.route(name)).map(path -> {
          attempt.isIn(file(node, path));
          return writes(file(node, path), bytes);
        });
      }
      return written.compose(_ -> cluster.later(random.nextInt(200))).compose(_ -> {
        attempt.called.add(rank);
        if (program.ledger().mayBeComplete(attempt)) {
          program.ledger().leave(begun, read);
        }
        return phase.complete(true);
      });
    });
  }

  private Path file(String node, Path routed) {
    return machines.get(node).files.getPath(routed.toString());
  }

  private static Void writes(Path path, byte[] bytes) {
    try {
      Files.write(path, bytes);
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "the rival, " + runs + " runs" + failure.map(why -> ", the last failed: " + why).orElse("");
  }
}
