package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Defects;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.HostileJson;
import io.vertxscr.protocol.NodeMessages;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.restart.NodeDrains;
import io.vertxscr.simulation.VirtualBus.Sent;
import io.vertxscr.simulation.VirtualCluster;
import io.vertxscr.simulation.VirtualSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever a member says is answered or refused by name, and no file elsewhere is touched. Method: four nodes in
 * virtual time, with the real codecs, verticles and services; a run is between two checkpoints when one of its members
 * says messages of all verbs with seeded defects, of bytes and of values, of a run and a dataset that are nowhere, with
 * paths of a directory of the user that is no prefix directory; or it answers so. Then the run, or the next one, makes
 * its next checkpoint. Replay with {@code -Dseed}; as many as {@code -Dscr.frames} says.
 */
@Timeout(120)
class HostileMessagesTest {
  private static final long SEED = Long.getLong("seed", 1);
  private static final int FRAMES_OF_VERB = Integer.getInteger("scr.frames", 24_000) / NodeVerb.values().length;
  private static final int WAVES = 6;
  private static final int SPOILT_ONE_OF = 4;
  /** Places of defects depend on lengths, and those of names of directories for tests differ. */
  private static final int PATH_CHARS = 120;
  private static final Duration WAVE = Duration.ofSeconds(2);

  @TempDir
  private Path directory;
  private VirtualCluster cluster;
  private VirtualRun run;
  private Path decoy;
  private Map<String, String> before;
  private SplittableRandom random;

  @BeforeEach
  void aRunHasMadeACheckpoint() throws IOException {
    System.out.println("HostileMessagesTest seed " + SEED);
    random = new SplittableRandom(SEED);
    directory = directory.resolve("x".repeat(Math.max(1, PATH_CHARS - directory.toString().length())));
    cluster = VirtualClusters.in(new Random(SEED), directory.resolve("walk"),
        Map.of("SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2"));
    cluster.start("n1", "n2", "n3", "n4");
    run = new VirtualRun(cluster, "n1", "n2", "n3", "n4");
    assertThat(run.steps(1, 2)).isZero();
    decoy = Files.createDirectories(directory.resolve("home/dir"));
    Files.writeString(decoy.resolve("key"), "secret");
    Files.writeString(decoy.resolve("rank-0-0"), "not to be touched");
    before = tree();
  }

  /** All below the decoy, with size and time. */
  private Map<String, String> tree() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory.resolve("home"))) {
      for (Path path : all.toList()) {
        BasicFileAttributes is = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        found.put(path.toString(), is.size() + " " + is.lastModifiedTime() + " " + is.isDirectory());
      }
    }
    return found;
  }

  /** Frames of a verb: seeded defects of bytes, and of values. */
  private final class Frames {
    private final NodeVerb verb;
    private final Defects bytes;
    private final List<HostileJson> values = new ArrayList<>();

    Frames(NodeVerb verb) {
      this.verb = verb;
      List<List<Part>> samples = new ArrayList<>();
      for (Path prefix : List.of(cluster.prefix(), decoy)) {
        for (Path store : List.of(directory.resolve("walk/cache"), decoy)) {
          byte[] text = Wire.toBytes(new NodeMessages(prefix.toString(), store.toString()).request(verb));
          samples.add(parts(text));
          values.add(new HostileJson(text));
        }
      }
      bytes = new Defects(samples, random.nextLong());
    }

    private static List<Part> parts(byte[] text) {
      return Stream.of(new String(text, StandardCharsets.UTF_8).split("(?<=[,{\\[])"))
          .map(part -> Part.of(part.getBytes(StandardCharsets.UTF_8))).toList();
    }

    /** Text of any kind; for few of them a body of another kind. */
    Object next() {
      if (random.nextInt(40) == 0) {
        return random.nextBoolean() ? new JsonObject().put("run", 1) : "text";
      }
      byte[] text = random.nextInt(3) == 0 ? bytes.next()
          : values.get(random.nextInt(values.size())).next(random, decoy.toString());
      return isForbidden(text) ? Buffer.buffer("{}") : Buffer.buffer(text);
    }

    /** A leader may have nodes make directories of stores wherever it says. */
    private boolean isForbidden(byte[] text) {
      try {
        return verb == NodeVerb.STORES && Wire.fromBytes(text, CheckStores.class).stores().stream()
            .anyMatch(store -> !store.base().equals(directory.resolve("walk/cache").toString()));
      } catch (ScrException _) {
        return false;
      }
    }
  }

  /** Says frames of all verbs to the nodes that answer these, and lets time pass. */
  private void sayEverything(String rogue, DeliveryOptions options, List<Future<Message<Object>>> asked) {
    Map<NodeVerb, Frames> frames = new EnumMap<>(NodeVerb.class);
    for (NodeVerb verb : NodeVerb.values()) {
      frames.put(verb, new Frames(verb));
    }
    for (int i = 0; i < FRAMES_OF_VERB / WAVES; i++) {
      frames.forEach((verb, of) -> asked.add(cluster.say(rogue, verb.address(verb.isForLeader() ? "n1" : "n2"),
          of.next(), options)));
      if (i % 16 == 0) {
        cluster.pass(Duration.ofMillis(100));
      }
    }
    cluster.pass(WAVE);
  }

  /** Who is asked never fails in a way that it does not expect. */
  private static void areAnsweredOrRefused(List<Future<Message<Object>>> asked) {
    int refused = 0;
    for (Future<Message<Object>> one : asked) {
      if (one.failed()) {
        assertThat(one.cause()).isInstanceOf(ReplyException.class);
        ReplyException why = (ReplyException) one.cause();
        if (why.failureType() == ReplyFailure.RECIPIENT_FAILURE) {
          assertThat(Fault.of(why.failureCode())).as("seed %d: %s", SEED, why.getMessage())
              .isNotEqualTo(Fault.INTERNAL);
          refused++;
        }
      }
    }
    assertThat(asked).hasSizeGreaterThan(NodeVerb.values().length * WAVES);
    assertThat(refused).as("of %d", asked.size()).isGreaterThan(asked.size() / 2);
  }

  /** A run that makes a checkpoint, is attacked, and makes the next ones. */
  private void attackedRun(int step, Runnable attack) {
    boolean[] begun = {false};
    List<Future<Integer>> ranks = run.start((VirtualSession session) -> run.restart(session).compose(from ->
        run.checkpoint(session, step).compose(_ -> {
          begun[0] = true;
          return cluster.later(60_000);
        }).compose(_ -> run.checkpoints(session, step + 1, step + 2)).compose(_ -> session.finish()).map(from)));
    cluster.awaits("the first checkpoint", () -> begun[0]);
    attack.run();
    for (Future<Integer> rank : ranks) {
      Future<Integer> end = cluster.await(rank);
      assertThat(end.succeeded()).as("seed %d: %s", SEED, end.cause()).isTrue();
      assertThat(end.result()).isEqualTo(step - 1);
    }
  }

  @Test
  void aRunGoesOnWhateverAMemberSaysThatDoesNotLead() throws IOException {
    List<Future<Message<Object>>> asked = new ArrayList<>();
    attackedRun(3, () -> {
      for (int wave = 0; wave < WAVES; wave++) {
        DeliveryOptions options = new DeliveryOptions().setSendTimeout(5_000);
        if (wave % 2 == 1) {
          options.addHeader(EventBusNodeBus.EPOCH, random.nextInt(4) + " n1/" + random.nextInt(4));
        }
        sayEverything("n3", options, asked);
      }
    });
    areAnsweredOrRefused(asked);
    assertThat(tree()).isEqualTo(before);
    cancelDrains();
    assertThat(run.steps(6, 6)).isEqualTo(5);
  }

  /** Any member may ask for one, as any operator may. The node takes no run until that is taken back. */
  private void cancelDrains() {
    for (String node : List.of("n1", "n2", "n3", "n4")) {
      NodeDrains drains = cluster.services("n2").drains();
      Future<DrainReply> cancelled = cluster.await(cluster.onLoop("n2", () -> drains.ask(DrainRequest.cancel(node))));
      assertThat(cancelled.result().is(DrainState.NONE)).as(node).isTrue();
    }
  }

  /** What a leader says may end a run, as it may; the next one finds what the others have made. */
  @Test
  void theNextRunIsAsAnyWhateverTheLeaderHasSaid() throws IOException {
    List<Future<Message<Object>>> asked = new ArrayList<>();
    run.start(session -> run.restart(session).compose(_ -> run.checkpoint(session, 3))
        .compose(_ -> cluster.later(60_000)).compose(_ -> run.checkpoint(session, 4)).compose(_ -> session.finish()));
    cluster.pass(WAVE);
    for (int wave = 0; wave < WAVES; wave++) {
      Epoch epoch = cluster.epoch("n1");
      DeliveryOptions options = new DeliveryOptions().setSendTimeout(5_000);
      if (epoch.leads()) {
        options.addHeader(EventBusNodeBus.EPOCH, epoch.text(epoch.own()));
      }
      sayEverything("n1", options, asked);
    }
    areAnsweredOrRefused(asked);
    assertThat(tree()).isEqualTo(before);
    cluster.pass(Duration.ofMinutes(2));
    cancelDrains();
    int from = run.steps(6, 6);
    assertThat(from).as("checkpoint of the restart").isBetween(2, 4);
    assertThat(run.steps(7, 7)).isEqualTo(6);
  }

  /** Runs may fail where a node of theirs says something else than it should; they say so. */
  @Test
  void answersThatAreNoneFailARunByNameAndTheNextOneIsAsAny() throws IOException {
    SplittableRandom spoils = new SplittableRandom(SEED);
    int[] spoilt = {0};
    cluster.bus().answering(answer -> {
      boolean chosen = answer.from().startsWith("n3/") && answer.body() instanceof Buffer
          && spoils.nextInt(SPOILT_ONE_OF) == 0;
      if (!chosen) {
        return answer;
      }
      spoilt[0]++;
      byte[] text = ((Buffer) answer.body()).getBytes();
      return new Sent(answer.from(), answer.address(), switch (spoils.nextInt(8)) {
        case 0 -> "text";
        case 1 -> new JsonObject().put("run", 1);
        case 2, 3 -> Buffer.buffer(new Defects(List.of(Frames.parts(text)), spoils.nextLong()).next());
        default -> Buffer.buffer(new HostileJson(text).next(spoils, decoy.toString()));
      });
    });
    for (int life = 0; life < 20; life++) {
      int step = 3 + life;
      run.start(session -> run.restart(session).compose(_ -> run.checkpoints(session, step, step + 1))
          .compose(_ -> session.finish())).forEach(rank -> {
            Future<?> end = cluster.await(rank);
            if (end.failed()) {
              assertThat(Fault.of(end.cause())).as("seed %d: %s", SEED, end.cause()).isNotEqualTo(Fault.INTERNAL);
            }
          });
      cluster.launch();
    }
    cluster.bus().answering(answer -> answer);
    assertThat(spoilt[0]).isGreaterThan(20);
    assertThat(tree()).isEqualTo(before);
    cluster.pass(Duration.ofMinutes(2));
    run.steps(30, 31);
    assertThat(run.steps(32, 32)).isEqualTo(31);
  }
}
