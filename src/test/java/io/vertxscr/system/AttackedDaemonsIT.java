package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.NodeContext;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.cluster.EventBusNodeBus;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.cluster.tls.SecuredNodeContext;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.load.Doors;
import io.vertxscr.load.Doors.Door;
import io.vertxscr.load.Fuzzer;
import io.vertxscr.load.HostileFrames;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.NodeMessages;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.OfNode;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: whoever has neither secret nor permission gets in nowhere, and stops no run. Nor does a member that does not
 * lead, or who can write to the prefix directory. Method: three daemons with a secret that read of each other over the
 * network, a run that makes one checkpoint after the other, and attacks meanwhile. After each, two more checkpoints are
 * made, a tree of files beside the storage is as it was, and descriptors of each daemon and live heap of the leader are
 * back within {@link #MORE_DESCRIPTORS} and {@link #MORE_HEAP_BYTES} of what they were after a first, small attack; the
 * live heap of the others in the end. Seed: -Dseed. More of all: -Dscr.long=true.
 */
class AttackedDaemonsIT {
  private static final int FILES = 2;
  private static final boolean LONG = Boolean.getBoolean("scr.long");
  private static final int FRAMES = LONG ? 24_000 : 240;
  /** At each port of TCP: ten thousand at the five in the long test. */
  private static final int SILENT = LONG ? 2_000 : 200;
  /** Of the user's own applications, who may. */
  private static final int SILENT_OWN = 150;
  /** Of the event bus: see GuardedTransport. */
  private static final int UNPROVEN_ON_BUS = 1_024;
  private static final int GREETING_BYTES = 8;
  /** Between two checkpoints, for the attackers have the same processors. */
  private static final int COMPUTES_MS = 250;
  private static final int MORE_DESCRIPTORS = 8;
  private static final long MORE_HEAP_BYTES = 8 << 20;
  private static final List<Door> TLS = List.of(Door.CLUSTER, Door.BUS, Door.PEER);
  private static final int NOBODY = 65_534;
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final String CLUSTER = "scr-u-1";

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final AtomicInteger CHECKPOINTS = new AtomicInteger();

  private static DaemonCluster cluster;
  /** Of the one that leads. */
  private static Doors doors;
  private static final List<Doors> ALL = new ArrayList<>();
  private static final List<DaemonProcess> DAEMONS = new ArrayList<>();
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static List<CompletableFuture<Integer>> run;
  private static volatile boolean last;
  private static long decoy;
  private static int descriptors;
  private static final List<Integer> DESCRIPTORS = new ArrayList<>();
  private static final List<Long> HEAP_BYTES = new ArrayList<>();
  private static List<Integer> ports;

  @BeforeAll
  static void startARun() throws Exception {
    System.out.println("AttackedDaemonsIT seed " + SEED);
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR", "SCR_BRIDGE_TCP", "0")).withSecret();
    Files.setPosixFilePermissions(cluster.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path tree = Files.createDirectories(cluster.directory().resolve("decoy/a/b"));
    Files.writeString(tree.resolve("file"), "not to be touched");
    Files.writeString(tree.resolveSibling("rank-0-0"), "nor this");
    decoy = checksumOfDecoy();
    for (String name : NAMES) {
      DAEMONS.add(cluster.startOutsider(name, cluster.directory(), Map.of(), "--no-direct-reads"));
      if (DAEMONS.size() == 1) {
        DAEMONS.getFirst().awaitReady();                  // it leads
      }
    }
    for (DaemonProcess daemon : DAEMONS) {
      daemon.awaitReady();
      ALL.add(Doors.of(daemon.pid(), daemon.output()));
    }
    doors = ALL.getFirst();
    ports = DAEMONS.stream().map(DaemonProcess::port).toList();
    beginRun();
    for (Doors each : ALL) {
      for (Door door : Door.values()) {
        Fuzzer.send(each, door, 64, 1);
      }
    }
    for (Doors each : ALL) {
      HEAP_BYTES.add(each.liveHeapBytes());
      DESCRIPTORS.add(each.descriptors());
    }
    descriptors = DESCRIPTORS.getFirst();
  }

  private static void beginRun() throws Exception {
    last = false;
    CyclicBarrier together = new CyclicBarrier(2 * NAMES.size());
    boolean[] end = {false};
    int before = CHECKPOINTS.get();
    run = SocketRun.twoOnEach(cluster.prefix(), DAEMONS).start(scr -> {
      int step = before;
      while (!end[0]) {
        RankProgram.checkpoint(scr, cluster.prefix(), ++step, FILES);
        Thread.sleep(COMPUTES_MS);
        if (together.await() == 0) {
          CHECKPOINTS.set(step);
          end[0] = last;
        }
        together.await();
      }
      scr.finish();
      return step;
    });
    awaitCheckpoints(2);
  }

  private static void endRun() throws Exception {
    last = true;
    assertThat(EmbeddedRun.all(run)).containsOnly(CHECKPOINTS.get());
  }

  @AfterAll
  static void theRunEndsWell() throws Exception {
    try {
      heapIsBack(1, 2);
      endRun();
    } finally {
      cluster.close();
    }
  }

  @AfterEach
  void theRunGoesOnAndNothingIsLeft() throws Exception {
    awaitCheckpoints(2);
    assertThat(checksumOfDecoy()).isEqualTo(decoy);
    for (int i = 0; i < ALL.size(); i++) {
      Doors each = ALL.get(i);
      int open = DESCRIPTORS.get(i);
      Eventually.holds("descriptors of " + NAMES.get(i) + " are back to about " + open,
          () -> each.descriptors() <= open + MORE_DESCRIPTORS);
    }
    heapIsBack(0);
  }

  /** Of the leader after each attack, of the others at the end: to ask for it takes as long as an attack. */
  private static void heapIsBack(int... daemons) throws Exception {
    for (int i : daemons) {
      Doors each = ALL.get(i);
      long heap = HEAP_BYTES.get(i);
      Eventually.holds("live heap of " + NAMES.get(i) + " is back to about " + heap,
          () -> each.liveHeapBytes() < heap + MORE_HEAP_BYTES);
    }
  }

  /** More checkpoints than there are now; the second of them was begun after this call. */
  private static void awaitCheckpoints(int more) throws Exception {
    int before = CHECKPOINTS.get();
    Eventually.holds("the run makes checkpoints", () -> {
      for (CompletableFuture<Integer> rank : run) {
        assertThat(rank.isCompletedExceptionally()).as("%s", rank).isFalse();
      }
      return CHECKPOINTS.get() >= before + more;
    });
  }

  /** Of names, kinds, modes and content. */
  private static long checksumOfDecoy() throws IOException {
    CRC32 sum = new CRC32();
    try (Stream<Path> paths = Files.walk(cluster.directory().resolve("decoy"))) {
      for (Path path : paths.sorted().toList()) {
        sum.update((path + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(path,
            LinkOption.NOFOLLOW_LINKS)) + Files.isSymbolicLink(path)).getBytes(StandardCharsets.UTF_8));
        if (Files.isRegularFile(path)) {
          sum.update(Files.readAllBytes(path));
        }
      }
    }
    return sum.getValue();
  }

  @Test
  void mutatedFramesAtEveryPort() throws IOException {
    for (Doors each : ALL) {
      for (Door door : Door.values()) {
        System.out.println(door + " " + Fuzzer.send(each, door, FRAMES / ALL.size(), SEED));
      }
    }
  }

  private static Set<String> members() throws IOException {
    try (RogueMember member = new RogueMember(CLUSTER, knowing(DaemonCluster.SECRET), ports)) {
      return member.nodes();
    }
  }

  /** As Hazelcast comes, by the name of the cluster, which anybody can guess; and behind TLS with another secret. */
  @Test
  void aMemberOfHazelcastWithoutTheSecretStaysAlone() throws Exception {
    assertThat(membersThatSees(new DefaultNodeContext())).isEqualTo(1);
    SecuredNodeContext context = new SecuredNodeContext(knowing("a secret of somebody else"));
    assertThat(membersThatSees(context)).isEqualTo(1);
    assertThat(context.unlike()).isPresent();
    assertThat(members()).as("with the secret").containsExactlyInAnyOrder("a", "b", "c", RogueMember.NAME);
  }

  private static int membersThatSees(NodeContext context) throws IOException {
    Config config = RogueMember.config(CLUSTER, "", ports).setProperty("hazelcast.max.join.seconds", "3")
        .setProperty("hazelcast.operation.call.timeout.millis", "1000");    // for twice that it asks whether to lead
    HazelcastInstance stranger;
    try {
      stranger = HazelcastInstanceFactory.newHazelcastInstance(config, "stranger", context);
    } catch (IllegalStateException _) {
      return 1;                                           // it gives up where it gets no answer that it understands
    }
    try {
      return stranger.getCluster().getMembers().size();
    } finally {
      stranger.getLifecycleService().terminate();
    }
  }

  /** Over the event bus as daemons have it: what only the leader may say, and what a node may say of itself alone. */
  @Test
  void aMemberThatDoesNotLeadCommandsNobodyAndSpeaksForNoOther() throws Exception {
    try (RogueMember rogue = new RogueMember(CLUSTER, knowing(DaemonCluster.SECRET), ports)) {
      String epoch = "999 " + rogue.leadership();
      NodeMessages messages = new NodeMessages(cluster.prefix().toString(), cluster.directory().toString());
      for (String node : NAMES) {
        for (NodeVerb verb : NodeVerb.values()) {
          if (verb.isFromLeader()) {
            for (DeliveryOptions options : List.of(new DeliveryOptions(),
                new DeliveryOptions().addHeader(EventBusNodeBus.EPOCH, epoch), new DeliveryOptions()
                    .addHeader(EventBusNodeBus.EPOCH, epoch).addHeader("scr-sender", rogue.keyOfLeader()))) {
              assertThat(rogue.refusal(node, verb, RogueMember.body(messages.request(verb)), options))
                  .as("%s to %s with %s", verb, node, options.toJson()).isEqualTo(Fault.NOT_LEADER);
            }
          }
        }
        assertThat(rogue.refusal(node, NodeVerb.TAKEOVER, RogueMember.body(new Takeover("a", 999, "a/1")),
            new DeliveryOptions())).as("takeover of %s", node).isEqualTo(Fault.NOT_LEADER);
        for (OfNode said : List.of(
            new JoinRun(node, "a", cluster.prefix().toString(), "test", 6, List.of(0), Optional.empty(), 0),
            new GatherPart(1, 1, node, Step.START_OUTPUT, Optional.empty(), Packed.of(new Part.Have(true))))) {
          assertThat(rogue.refusal("a", said instanceof JoinRun ? NodeVerb.JOIN : NodeVerb.GATHER,
              RogueMember.body(said), new DeliveryOptions())).as("%s", said).isEqualTo(Fault.NOT_LEADER);
        }
      }
    }
  }

  @Test
  void hundredsOfConnectionsThatAreSilentOrStopInAFrame() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    try {
      for (Door door : Door.values()) {
        byte[] half = new HostileFrames(door, 1).real();
        int count = door == Door.SOCKET ? SILENT_OWN : SILENT;
        silent.addAll(Fuzzer.silent(doors, door, count / 2, new byte[0]));
        silent.addAll(Fuzzer.silent(doors, door, count / 2, Arrays.copyOf(half, half.length / 2)));
      }
      awaitCheckpoints(2);
      int most = descriptors + SILENT_OWN + UNPROVEN_ON_BUS + Limits.MAX_UNPROVEN_PEERS + 3 * Limits.MAX_STRANGERS
          + 64;
      Eventually.holds("open are the own socket's, the event bus's, and few others", () -> doors.descriptors() < most);
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
  }

  /** Also where nobody else comes. */
  @Test
  void whoProvesNothingInTimeIsHungUpOnAtEveryPort() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    byte[] noise = new byte[1_000];
    new Random(SEED).nextBytes(noise);
    try {
      for (Doors each : ALL) {
        for (Door door : Door.values()) {
          if (door != Door.SOCKET) {
            byte[] half = new HostileFrames(door, 1).real();
            silent.addAll(Fuzzer.silent(each, door, 1, new byte[0]));
            silent.addAll(Fuzzer.silent(each, door, 1, Arrays.copyOf(half, half.length / 2)));
            silent.addAll(Fuzzer.silent(each, door, 1, noise));
          }
        }
      }
      for (SocketChannel one : silent) {
        assertThat(TlsStranger.toTheEnd(one)).isLessThan(2_000);   // half of two requests may be a whole one
      }
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
  }

  /** Ranks that have ended: with the step that they began from, or a failure. */
  private static List<CompletableFuture<Integer>> runIn(Path prefix) throws Exception {
    SortedMap<String, String> settings = new TreeMap<>(Map.of("SCR_FLUSH", "1", "SCR_CACHE_PURGE", "1"));
    List<CompletableFuture<Integer>> ranks = new ArrayList<>();
    for (int rank = 0; rank < DAEMONS.size(); rank++) {
      ScrOptions options = new ScrOptions(DAEMONS.get(rank).socket(), rank, DAEMONS.size(), prefix, "test", settings,
          List.of());
      ranks.add(SocketRun.start(options, scr -> {
        int step = RankProgram.restart(scr, FILES);
        RankProgram.checkpoint(scr, prefix, step + 1, FILES);
        scr.finish();
        return step;
      }));
    }
    CompletableFuture.allOf(ranks.toArray(CompletableFuture[]::new)).exceptionally(_ -> null)
        .get(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
    return ranks;
  }

  /** What somebody puts in place of a file of ours. */
  private enum Planted {
    FIFO, DEVICE, GIANT, LINK;

    void at(Path place) throws Exception {
      Root.run("rm", "-rf", place.toString());
      switch (this) {
        case FIFO -> Root.run("mkfifo", place.toString());
        case DEVICE -> Files.createSymbolicLink(place, Path.of("/dev/zero"));
        case GIANT -> Root.run("truncate", "-s", "1T", place.toString());
        case LINK -> Files.createSymbolicLink(place, cluster.directory().resolve("decoy/a/b/file"));
      }
    }
  }

  /** What leads elsewhere, or is to be printed, in the map of a dataset. */
  private static byte[] map(String place) {
    return RankFileMapFile.encode(new Leaf(DAEMONS.size(), IntStream.range(0, DAEMONS.size()).mapToObj(
        rank -> new RankEntry(rank, List.of(
            new FlushedFile(place, OptionalLong.empty(), OptionalInt.empty(), List.of())))).toList()));
  }

  /**
   * Runs of its own begin in copies of a prefix directory with one checkpoint, in each of which something else is
   * wrong: it is offered or not, and the next checkpoint is made and flushed.
   */
  @Test
  void aRunBeginsAndIsFlushedWhateverSomebodyHasPutInItsPrefixDirectory() throws Exception {
    endRun();
    try {
      Path good = cluster.newPrefix();
      assertThat(EmbeddedRun.all(runIn(good))).containsOnly(0);
      int id = new PrefixPaths(good).datasets().getFirst();
      Map<String, String> outcomes = new LinkedHashMap<>();
      List<Integer> said = DAEMONS.stream().map(daemon -> daemon.output().length()).toList();
      outcomes.put("nothing", outcome(good, _ -> {}));
      List<Place> places = List.of(PrefixPaths::haltFile, PrefixPaths::index, paths -> paths.summary(id),
          paths -> paths.rankMap(id), PrefixPaths::log, PrefixPaths::restartFile,
          paths -> paths.prefix().resolve("step-1/rank-1-0"));
      int round = 0;
      for (Place place : places) {
        Planted[] all = Planted.values();
        for (Planted planted : LONG ? all : new Planted[] {all[round++ % all.length]}) {
          outcomes.put(planted + " at " + good.relativize(place.in(new PrefixPaths(good))),
              outcome(good, paths -> planted.at(place.in(paths))));
        }
      }
      for (String place : List.of("../decoy/a/b/file", "/etc/passwd", "led/file", "a\u001b[2Jb\nc")) {
        outcomes.put("map to " + place, outcome(good, paths -> {
          Files.createSymbolicLink(paths.prefix().resolve("led"), cluster.directory().resolve("decoy/a/b"));
          Files.write(paths.rankMap(id), map(place));
        }));
      }
      outcomes.forEach((what, outcome) -> System.out.println(what + ": " + outcome));
      assertThat(outcomes.values()).allMatch(
          outcome -> outcome.matches("from [01]|\\[[A-Z_, ]+]") && !outcome.contains(Fault.INTERNAL.name()));
      assertThat(outcomes).containsEntry("nothing", "from 1").containsEntry("FIFO at .scr/halt.scr", "from 1")
          .containsEntry("DEVICE at .scr/index.scr", "from 1");
      assertThat(outcomes.entrySet()).filteredOn(one -> one.getKey().startsWith("map to "))
          .allMatch(one -> one.getValue().equals("from 0"));
      for (int i = 0; i < DAEMONS.size(); i++) {
        assertThat(DAEMONS.get(i).output().substring(said.get(i))).doesNotContain("\u001b", "\tat ", "INTERNAL");
      }
    } finally {
      beginRun();                                         // for the other attacks
    }
  }

  /** A file of ours. */
  private interface Place {
    Path in(PrefixPaths paths);
  }

  /** What somebody does in a prefix directory. */
  private interface Hostility {
    void in(PrefixPaths paths) throws Exception;
  }

  /** From which step the run in a copy has begun, and whether its own checkpoint has got to the prefix directory. */
  private static String outcome(Path good, Hostility hostility) throws Exception {
    Path prefix = cluster.newPrefix();
    Root.run("cp", "-a", good + "/.", prefix.toString());
    hostility.in(new PrefixPaths(prefix));
    List<CompletableFuture<Integer>> ranks = runIn(prefix);
    Set<String> failures = new TreeSet<>();
    for (CompletableFuture<Integer> rank : ranks) {
      if (rank.isCompletedExceptionally()) {
        assertThat(rank.exceptionNow()).isInstanceOf(ScrException.class);
        failures.add(((ScrException) rank.exceptionNow()).fault().name());
      }
    }
    if (!failures.isEmpty()) {
      return failures.toString();
    }
    int step = ranks.getFirst().resultNow();
    assertThat(ranks).allSatisfy(rank -> assertThat(rank.resultNow()).isEqualTo(step));
    for (int rank = 0; rank < DAEMONS.size(); rank++) {
      assertThat(prefix.resolve("step-" + (step + 1)).resolve("rank-" + rank + "-0"))
          .hasBinaryContent(RankProgram.bytes(rank, step + 1, 0));
    }
    return "from " + step;
  }

  private static Credentials knowing(String... secrets) {
    return Credentials.of(Stream.of(secrets).map(secret ->
        ClusterAuthority.ofSecret(secret.getBytes(StandardCharsets.UTF_8), CLUSTER)).toList());
  }

  private static TlsStranger call(Door door, Credentials credentials) throws IOException {
    return new TlsStranger(doors.at(door), credentials, door == Door.PEER ? GREETING_BYTES : 0);
  }

  /** It trusts the daemon, so that it ends its side of the handshake; the certificate that it shows is of another. */
  @Test
  void aCertificateOfAnotherSecretIsRefusedAndTheRightOneIsNot() throws Exception {
    for (Door door : TLS) {
      try (TlsStranger stranger = call(door, knowing("a secret of somebody else", DaemonCluster.SECRET))) {
        assertThatExceptionOfType(IOException.class).as("%s", door).isThrownBy(() -> {
          stranger.handshake();
          stranger.awaitLetIn();
        });
      }
      try (TlsStranger member = call(door, knowing(DaemonCluster.SECRET))) {
        member.handshake();
        member.awaitLetIn();
      }
    }
  }

  @Test
  void recordedProofsAreOfNoUseInAnyOrder() throws Exception {
    Map<Door, List<byte[]>> recorded = new EnumMap<>(Door.class);
    for (Door door : TLS) {
      try (TlsStranger member = call(door, knowing(DaemonCluster.SECRET))) {
        member.handshake();
        member.awaitLetIn();
        recorded.put(door, member.sent());
        assertThat(member.sent()).as("%s", door).hasSizeGreaterThan(2);
      }
    }
    Random random = new Random(SEED);
    for (Door from : TLS) {
      for (Door to : TLS) {
        for (int round = 0; round < 5; round++) {
          List<byte[]> pieces = new ArrayList<>(recorded.get(from));
          if (round > 0) {
            Collections.shuffle(pieces, random);
          }
          // No more than the daemon's side of a handshake, and then the end: who is let in stays connected.
          assertThat(TlsStranger.replay(doors.at(to), pieces)).as("%s to %s, round %d", from, to, round)
              .isLessThan(2000);
        }
      }
    }
  }

  @Test
  void anotherUserReadsNothingWritesNothingAndPlantsNothing() throws Exception {
    Path storage = cluster.directory();
    Path node = storage.resolve("c/u/scr.1/a");
    Path base = Files.createDirectory(storage.resolve("base"));
    Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
    Root.run("chmod", "+t", base.toString());
    assertThat(asNobody("connect", node.resolve("scr.sock"), "read", node.resolve("scr.tcp"),
        "list", node, "list", storage.resolve("k/u"), "read", storage.resolve("secret"),
        "write", node.resolve("filemap"), "link", storage.resolve("k/u/scr.1/a/.trash"), "mkdir",
        storage.resolve("c/u/scr.2"), "mkdir", base.resolve("made"), "link", base.resolve("linked")))
        .isEqualTo("""
            connect scr.sock: AccessDeniedException
            read scr.tcp: AccessDeniedException
            list a: AccessDeniedException
            list u: AccessDeniedException
            read secret: AccessDeniedException
            write filemap: AccessDeniedException
            link .trash: AccessDeniedException
            mkdir scr.2: AccessDeniedException
            mkdir made: done
            link linked: done
            """);
    for (String user : List.of("made", "linked")) {
      DaemonProcess daemon = cluster.startOutsider("x", storage.resolve("other"), Map.of(
          "SCR_CNTL_BASE", base.toString(), "SCR_CACHE_BASE", base.toString(), "SCR_USER_NAME", user));
      assertThat(daemon.awaitExit()).as(daemon.output()).isEqualTo(2);
      assertThat(daemon.output()).contains(base.resolve(user).toString()).doesNotContain("\tat ");
    }
  }

  /** What it says, as a process of another user. */
  private static String asNobody(Object... attempts) throws Exception {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)
        && Files.isExecutable(SETPRIV), "not root, or no setpriv: no process can be another user's");
    Path classes = cluster.directory().resolve("classes");
    Path copy = classes.resolve(Intruder.class.getName().replace('.', '/') + ".class");
    Files.createDirectories(copy.getParent());
    try (var bytes = Intruder.class.getResourceAsStream("Intruder.class")) {
      Files.write(copy, bytes.readAllBytes());
    }
    List<String> command = new ArrayList<>(List.of(SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY,
        "--clear-groups", Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-cp", classes.toString(), Intruder.class.getName()));
    Stream.of(attempts).map(Object::toString).forEach(command::add);
    return Root.run(command.toArray(String[]::new));
  }
}
