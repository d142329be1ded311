package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.load.Doors;
import io.vertxscr.load.Doors.Door;
import io.vertxscr.load.Fuzzer;
import io.vertxscr.load.HostileFrames;
import io.vertxscr.model.Limits;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: whoever has neither secret nor permission gets in nowhere, and stops no run. Method: two daemons with a secret
 * that read of each other over the network, a run that makes one checkpoint after the other, and attacks from outside
 * meanwhile. After each, two more checkpoints are made, a tree of files beside the storage is as it was, and
 * descriptors and live heap of the attacked daemon are back within {@link #MORE_DESCRIPTORS} and
 * {@link #MORE_HEAP_BYTES} of what they were after a first, small attack. Seed: -Dseed.
 */
class AttackedDaemonsIT {
  private static final int FILES = 2;
  private static final int FRAMES = 800;
  private static final int SILENT = 300;
  private static final int GREETING_BYTES = 8;
  private static final int MORE_DESCRIPTORS = 8;
  private static final long MORE_HEAP_BYTES = 8 << 20;
  private static final List<Door> TLS = List.of(Door.CLUSTER, Door.BUS, Door.PEER);
  private static final int NOBODY = 65_534;
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final String CLUSTER = "scr-u-1";

  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final AtomicInteger CHECKPOINTS = new AtomicInteger();

  private static DaemonCluster cluster;
  private static Doors doors;
  private static List<CompletableFuture<Integer>> run;
  private static volatile boolean last;
  private static long decoy;
  private static int descriptors;
  private static long heapBytes;

  @BeforeAll
  static void startARun() throws Exception {
    System.out.println("AttackedDaemonsIT seed " + SEED);
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR", "SCR_BRIDGE_TCP", "0")).withSecret();
    Files.setPosixFilePermissions(cluster.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path tree = Files.createDirectories(cluster.directory().resolve("decoy/a/b"));
    Files.writeString(tree.resolve("file"), "not to be touched");
    Files.writeString(tree.resolveSibling("rank-0-0"), "nor this");
    decoy = checksumOfDecoy();
    List<DaemonProcess> daemons = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      daemons.add(cluster.startOutsider(name, cluster.directory(), Map.of(), "--no-direct-reads"));
      daemons.getLast().awaitReady();
    }
    doors = Doors.of(daemons.getFirst().pid(), daemons.getFirst().output());
    CyclicBarrier together = new CyclicBarrier(4);
    boolean[] end = {false};
    run = SocketRun.twoOnEach(cluster.prefix(), daemons).start(scr -> {
      int step = 0;
      while (!end[0]) {
        RankProgram.checkpoint(scr, cluster.prefix(), ++step, FILES);
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
    for (Door door : Door.values()) {
      Fuzzer.send(doors, door, FRAMES / 4, 1);
    }
    heapBytes = doors.liveHeapBytes();
    descriptors = doors.descriptors();
  }

  @AfterAll
  static void theRunEndsWell() throws Exception {
    last = true;
    try {
      assertThat(EmbeddedRun.all(run)).containsOnly(CHECKPOINTS.get());
    } finally {
      cluster.close();
    }
  }

  @AfterEach
  void theRunGoesOnAndNothingIsLeft() throws Exception {
    awaitCheckpoints(2);
    assertThat(checksumOfDecoy()).isEqualTo(decoy);
    Eventually.holds("descriptors are back to about " + descriptors,
        () -> doors.descriptors() <= descriptors + MORE_DESCRIPTORS);
    Eventually.holds("live heap is back to about " + heapBytes,
        () -> doors.liveHeapBytes() < heapBytes + MORE_HEAP_BYTES);
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
    for (Door door : Door.values()) {
      System.out.println(door + " " + Fuzzer.send(doors, door, FRAMES, SEED));
    }
  }

  @Test
  void hundredsOfConnectionsThatAreSilentOrStopInAFrame() throws Exception {
    List<SocketChannel> silent = new ArrayList<>();
    try {
      for (Door door : Door.values()) {
        byte[] half = new HostileFrames(door, 1).real();
        int count = door == Door.SOCKET ? SILENT / 2 : SILENT;
        silent.addAll(Fuzzer.silent(doors, door, count / 2, new byte[0]));
        silent.addAll(Fuzzer.silent(doors, door, count / 2, Arrays.copyOf(half, half.length / 2)));
      }
      awaitCheckpoints(2);
      int most = descriptors + SILENT / 2 + SILENT + Limits.MAX_UNPROVEN_PEERS + 3 * Limits.MAX_STRANGERS + 64;
      Eventually.holds("open are the own socket's, the event bus's, and few others", () -> doors.descriptors() < most);
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
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
