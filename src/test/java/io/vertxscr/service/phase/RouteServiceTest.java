package io.vertxscr.service.phase;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.config.Settings;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.format.Samples;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a route that needs no file is answered on the loop, at once. One that does holds up nobody else. Method: a node
 * of one rank in virtual time; every change of its disk must be that of a job.
 */
class RouteServiceTest {
  private static final long RUN = 7;
  private static final String CLIENT = "bridge:1";
  private static final Duration HANG = Duration.ofMinutes(5);

  private final VirtualTime time = new VirtualTime(new Random(Long.getLong("seed", 1)));
  private final FaultyDisk disk = new FaultyDisk();
  private final Path prefix = disk.directory("/prefix");
  private final Loop loop = time.loop(new LocalFiles(disk.system()));
  private final DatasetStore store = DatasetStore.open(new NodeDirectories(
      disk.directory("/node").resolve("cache"), disk.directory("/node").resolve("control")));
  private final List<Promise<Ack>> overwrites = new ArrayList<>();
  private final Bus bus = new Bus();
  private final RunService runs = new RunService(loop, bus, new OneNode(), new Epoch(new OneNode()),
      AdmittedPrefixes.of(loop));
  private final RouteService routes = new RouteService(loop, bus, runs, store, new FilePlaces(loop),
      new ShardFiles(loop, bus, "n1", store, (_, _) -> null));
  private final List<String> onLoop = new ArrayList<>();
  private boolean hangs;

  /** A leader that answers when the test says so. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return loop.<A>promise().future();
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError("nobody leads here");
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      assertThat(verb).isEqualTo(NodeVerb.OVERWRITE);
      Promise<Ack> promise = loop.promise();
      overwrites.add(promise);
      return promise.future().map(answer::cast);
    }

    @Override
    public void onlyLeader(String name) {
      // The test answers.
    }
  }

  @AfterEach
  void close() throws IOException {
    assertThat(onLoop).as("changes of the disk on the loop").isEmpty();
    disk.close();
  }

  /** A phase begins, on a disk that hangs where a directory is made, once the test says so. */
  private LocalRun begin(OpenDataset dataset, SessionState state) {
    runs.init(new InitRequest(0, 1, "/prefix", "job"), CLIENT);
    runs.begin(new RunInfo(RUN, "/prefix", "job", new RankMap(List.of("n1")), Optional.empty(),
        RunInfo.InitialState.NOTHING, Settings.load(Map.of(), Optional.empty()).policy()));
    LocalRun run = runs.run().orElseThrow();
    run.session(RUN, 0, CLIENT).state(state);
    run.open(dataset);
    disk.trouble((_, what) -> {
      if (!time.isInJob()) {
        onLoop.add(what);
      }
      if (hangs && what.startsWith("make directory ")) {
        time.pass(HANG);
      }
    });
    return run;
  }

  private void write(boolean pastTheCache) {
    begin(OpenDataset.output(Samples.descriptor(3, "c"), prefix, pastTheCache ? prefix : store.directory(3)),
        SessionState.IDLE.after(Step.START_OUTPUT, false));
  }

  private Future<String> ask(String name) {
    return loop.call(() -> routes.route(new RouteRequest(RUN, 0, name, "/prefix"), CLIENT)).map(reply -> reply.file());
  }

  private String route(String name) {
    return time.await(ask(name)).result();
  }

  /** The answer without any job. */
  private String routeAtOnce(String name) {
    long before = time.nowNs();
    Future<String> answer = ask(name);
    time.settle();
    assertThat(answer.isComplete()).as("answered on the loop: " + name).isTrue();
    assertThat(time.nowNs()).isEqualTo(before);
    return answer.result();
  }

  @Test
  void filesOfADirectoryThatIsNotThereNeedOneJobInAll() {
    write(false);
    assertThat(route("out/a")).isEqualTo(store.directory(3) + "/rank.0/a");
    assertThat(store.directory(3).resolve("rank.0")).isDirectory();
    for (int i = 0; i < 10; i++) {
      assertThat(routeAtOnce("out/f" + i)).isEqualTo(store.directory(3) + "/rank.0/f" + i);
    }
    assertThat(routeAtOnce("out/a")).as("the same again").isEqualTo(store.directory(3) + "/rank.0/a");
  }

  @Test
  void aFileInADirectoryThatIsThereIsLookedUpOnce() throws IOException {
    Files.createSymbolicLink(prefix.resolve("link"), disk.system().getPath("/elsewhere"));
    write(false);
    assertThat(route("/prefix/a")).isEqualTo(store.directory(3) + "/rank.0/a");
    assertThat(routeAtOnce("/prefix/a")).isEqualTo(store.directory(3) + "/rank.0/a");
    assertThat(routeAtOnce("./a")).isEqualTo(store.directory(3) + "/rank.0/a");
    assertThat(route("b")).isEqualTo(store.directory(3) + "/rank.0/b");
    assertThat(time.await(ask("link")).cause()).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).isEqualTo(Fault.OUTSIDE_PREFIX));
  }

  @Test
  void filesOfOneBaseNameGetDirectoriesThatAreThere() {
    write(false);
    assertThat(route("x/a")).endsWith("rank.0/a");
    assertThat(route("y/a")).endsWith("rank.0/1/a");
    assertThat(store.directory(3).resolve("rank.0/1")).isDirectory();
    assertThat(routeAtOnce("y/b")).endsWith("rank.0/b");
    assertThat(routeAtOnce("x/b")).as("its directory is there").endsWith("rank.0/1/b");
  }

  @Test
  void aDiskThatHangsHoldsUpNoFileThatIsKnown() {
    write(false);
    route("out/a");
    hangs = true;
    Future<String> waits = ask("new/a");
    time.runUntil(() -> false, Duration.ofSeconds(1));     // its job is in the middle
    assertThat(routeAtOnce("out/b")).endsWith("rank.0/b");
    assertThat(waits.isComplete()).isFalse();
    assertThat(time.await(waits).result()).endsWith("rank.0/1/a");
    assertThat(Duration.ofNanos(time.nowNs())).isGreaterThanOrEqualTo(HANG);
  }

  @Test
  void aRestartFindsTheFilesOfADirectoryInMemory() throws IOException {
    Files.createDirectory(prefix.resolve("out"));
    RankFiles files = new RankFiles(0, List.of(file("a"), file("b")));
    begin(OpenDataset.restart(Samples.descriptor(3, "c"), prefix, store.directory(3), List.of(files), false),
        SessionState.IDLE.after(Step.START_RESTART, true));
    assertThat(route("out/a")).isEqualTo(store.directory(3) + "/rank.0/a");
    assertThat(routeAtOnce("out/b")).isEqualTo(store.directory(3) + "/rank.0/b");
    assertThat(time.await(ask("out/c")).cause()).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_FILE));
  }

  private static FileMeta file(String base) {
    return new FileMeta("rank.0/" + base, "out/" + base, 3, OptionalInt.of(1));
  }

  @Test
  void nobodyGetsThePlaceOfAnOlderFileBeforeTheLeaderKnowsThatItIsOverwritten() throws IOException {
    Files.createFile(prefix.resolve("old"));
    write(true);
    Future<String> first = ask("old");
    time.runUntil(() -> !overwrites.isEmpty(), Duration.ofSeconds(1));
    Future<String> again = ask("old");
    time.runUntil(() -> false, Duration.ofSeconds(1));
    assertThat(first.isComplete() || again.isComplete()).isFalse();
    overwrites.getFirst().fail(new ScrException(Fault.IO, "the index cannot be written"));
    time.settle();
    assertThat(first.failed() && again.failed()).isTrue();

    Future<String> retry = ask("old");
    time.runUntil(() -> overwrites.size() > 1, Duration.ofSeconds(1));
    assertThat(retry.isComplete()).isFalse();
    overwrites.get(1).complete(Ack.ACK);
    assertThat(time.await(retry).result()).isEqualTo("/prefix/old");
    assertThat(routeAtOnce("old")).isEqualTo("/prefix/old");
  }
}
