package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.vertx.core.json.JsonObject;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.Frames;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.timing.Eventually;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: C and Fortran programs under a real mpirun, with real daemons. Method: clients/c is built, tested and
 * installed, its programs run with two ranks on each of three daemons. Skipped, saying so, where the Debian packages of
 * the README are missing.
 */
class NativeClientIT {
  private static final int DAEMONS = 3;
  private static final int RANKS = 2 * DAEMONS;
  private static DaemonCluster cluster;
  private static NativeBuild build;

  private Path prefix;

  @BeforeAll
  static void open() throws Exception {
    NativeBuild.needTools();
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "0", "SCR_COPY_TYPE", "XOR", "SCR_CACHE_SIZE", "2",
        "SCR_BRIDGE_TCP", "0"));
    cluster.fillSoon(DAEMONS);
    build = NativeBuild.make();                            // while they start
  }

  @AfterAll
  static void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void fill() throws Exception {
    prefix = cluster.newPrefix();
    cluster.fillSoon(DAEMONS);
    cluster.awaitReady();
  }

  /** Starts a program under mpirun, two ranks on each daemon, in the prefix directory. */
  private NativeBuild.Program start(Path program, String... arguments) throws Exception {
    return start(socket -> socket, program, arguments);
  }

  /** Starts it with another SCR_SOCKET instead of a daemon's socket. */
  private NativeBuild.Program start(UnaryOperator<Path> door, Path program, String... arguments) throws Exception {
    Path onNode = prefix.resolve(".on-node");
    StringBuilder script = new StringBuilder("#!/bin/sh\ncase $((OMPI_COMM_WORLD_RANK / 2)) in\n");
    List<DaemonProcess> daemons = cluster.alive();
    for (int i = 0; i < DAEMONS; i++) {
      script.append(i).append(") SCR_SOCKET='").append(door.apply(daemons.get(i).socket())).append("' ;;\n");
    }
    Files.writeString(onNode, script + "esac\nexport SCR_SOCKET\nexec \"$@\"\n");
    List<String> command = new ArrayList<>(List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca",
        "orte_enable_recovery", "1", "-n", "" + RANKS, "sh", onNode.toString(), program.toString()));
    command.addAll(List.of(arguments));
    return build.start(command, prefix);
  }

  private String run(Path program, String... arguments) throws Exception {
    NativeBuild.Program running = start(program, arguments);
    int code = running.awaitExit();
    assertThat(code).as(running.output()).isZero();
    return running.output();
  }

  private Index index() {
    return new PrefixIndex(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(10))).read().index();
  }

  private static List<String> everyRank(String what) {
    return IntStream.range(0, RANKS).mapToObj(rank -> "rank " + rank + " " + what).toList();
  }

  @Test
  void theTestsOfTheLibraryPassAlsoUnderValgrind() throws Exception {
    build.run("ctest", "--test-dir", build.directory().toString(), "--output-on-failure",
        "--parallel", "2");
  }

  @Test
  void aProgramRestartsWithTheBytesThatItWrote() throws Exception {
    String first = run(build.program("mpi_checkpoint"), "2", "7");
    assertThat(first).contains("wrote step-1", "wrote step-2").doesNotContain("restarted");
    assertThat(run(build.program("mpi_checkpoint"), "1", "7")).contains(everyRank("restarted from step-2"));
    assertThat(run(build.program("mpi_checkpoint"), "0", "7")).contains(everyRank("restarted from step-3"));
  }

  /** Nobody takes the halt condition of a normal end away. */
  @Test
  void aChainOfNormalEndsGoesOnFromTheLastEachTime() throws Exception {
    assertThat(run(build.program("mpi_checkpoint"), "1", "2")).contains("wrote step-1").doesNotContain("restarted");
    for (int step = 1; step <= 3; step++) {
      assertThat(run(build.program("mpi_checkpoint"), "1", "2"))
          .contains(everyRank("restarted from step-" + step)).contains("wrote step-" + (step + 1));
    }
  }

  /** Without that, who checks nothing hears anyway that there is nothing to compute for. */
  @Test
  void inAHaltedPrefixProcessesEndThemselvesWhereThatIsConfigured() throws Exception {
    String reason = "no run may begin in " + prefix + ": somebody has halted the job (JOB_HALTED)";
    Halts.of(prefix).update(halt -> halt.withReason(Optional.of("JOB_HALTED")));
    NativeBuild.Program refused = start(build.program("mpi_unchecked"));
    refused.awaitExit();
    assertThat(refused.output()).contains("SCR_Init: HALTED (26): " + reason)
        .contains(everyRank("restarts 0, checkpoints 0, steps 1"));

    Files.writeString(prefix.resolve(".scrconf"), "SCR_HALT_ENABLED=1\n");
    NativeBuild.Program ended = start(build.program("mpi_unchecked"));
    assertThat(ended.awaitExit()).as(ended.output()).isZero();
    assertThat(ended.output()).containsOnlyOnce("scr: the run ends here (SCR_HALT_EXIT=1): " + reason)
        .doesNotContain("steps");
  }

  @Test
  void aProgramRestartsFromTheCheckpointThatItNames() throws Exception {
    Files.writeString(prefix.resolve(".scrconf"), "SCR_FLUSH=1\nSCR_FLUSH_ASYNC=0\n");
    run(build.program("mpi_checkpoint"), "5", "3");
    String named = run(build.program("mpi_checkpoint"), "1", "3", "current", "step-2");
    assertThat(named).contains(everyRank("restarted from step-2")).contains("wrote step-3");
    assertThat(named.lines().filter(line -> line.contains("left alone"))).singleElement(STRING)
        .contains("step-3, step-4, step-5");
    List<Index.Entry> newestFirst = index().candidates();
    assertThat(newestFirst).extracting(Index.Entry::name)
        .containsExactly("step-3", "step-5", "step-4", "step-2", "step-1");
    assertThat(newestFirst.getFirst().id()).as("ids go on").isEqualTo(newestFirst.get(1).id() + 1);
    assertThat(run(build.program("mpi_checkpoint"), "0", "3")).contains(everyRank("restarted from step-3"));
  }

  @Test
  void aProgramNamesItsOwnStoreAndHearsOfItsOperations() throws Exception {
    Path store = prefix.resolveSibling(prefix.getFileName() + "-store");
    String first = run(build.program("mpi_checkpoint"), "2", "3", "store", store.toString());
    assertThat(first).contains("wrote step-2", "scr: checkpoint step-1 (dataset ", "FLUSH has no effect here: ")
        .doesNotContain("is not below");
    try (Stream<Path> below = Files.walk(store)) {
      assertThat(below.filter(path -> path.endsWith("block-0"))).hasSize(2 * 2 * RANKS);
    }
    // the next run does not name it
    assertThat(run(build.program("mpi_checkpoint"), "0", "3")).contains(everyRank("restarted from step-2"))
        .doesNotContain("scr: checkpoint");
  }

  @Test
  void overTcpTheTokenOfTheDaemonOpensAndNoOther() throws Exception {
    UnaryOperator<Path> tokenFile = socket -> socket.resolveSibling("scr.tcp");
    NativeBuild.Program opened = start(tokenFile, build.program("mpi_checkpoint"), "1", "3");
    assertThat(opened.awaitExit()).as(opened.output()).isZero();
    assertThat(opened.output()).contains("wrote step-1");

    String text = Files.readString(tokenFile.apply(cluster.alive().getFirst().socket())).strip();
    char last = text.charAt(text.length() - 1);
    Path wrong = Files.writeString(prefix.resolve("wrong.tcp"),
        text.substring(0, text.length() - 1) + (last == '0' ? '1' : '0') + "\n");
    NativeBuild.Program refused = start(_ -> wrong, build.program("mpi_checkpoint"), "1", "3");
    refused.awaitExit();                                   // the code says nothing: mpirun goes on without the ranks
    assertThat(refused.output())
        .contains("SCR_Init: BAD_REQUEST (2): received no frame of type token with the token")
        .contains(IntStream.range(0, RANKS).mapToObj(rank -> "rank " + rank + ": SCR_Init returned 2").toList())
        .doesNotContain("wrote step-1");
  }

  @Test
  void everyRankMayHaveTwoThousandFiles() throws Exception {
    run(build.program("mpi_checkpoint"), "1", "2000");
    assertThat(run(build.program("mpi_checkpoint"), "0", "2000")).contains(everyRank("restarted from step-1"));
  }

  @Test
  void aProgramIsBuiltFromWhatIsInstalledWithSharedAndWithStaticLibraries() throws Exception {
    Path source = NativeBuild.sources().resolve("tests/mpi_checkpoint.c");
    for (String linking : List.of("", "--static")) {
      Path program = prefix.resolve("program" + linking);
      build.run("sh", "-c", "PKG_CONFIG_PATH=$(dirname \"$(find '" + build.installed() + "' -name scr.pc)\"); "
          + "export PKG_CONFIG_PATH; libs=$(pkg-config " + linking + " --libs scr); "
          + (linking.isEmpty() ? "" : "libs=$(echo \"$libs\" | sed 's/-lscr/-l:libscr.a/'); ")
          + "mpicc -o '" + program + "' '" + source + "' $(pkg-config --cflags scr) $libs"
          + " -Wl,-rpath,$(pkg-config --variable=libdir scr)");
      run(program, "1", "3");
    }
    try (Stream<Path> installed = Files.walk(build.installed())) {
      assertThat(installed.map(path -> path.getFileName().toString()))
          .contains("libscr.so", "libscr.a", "libscrf.so", "libscrf.a", "scr.h", "scrf.h", "scr.pc", "scrf.pc",
              "scr.7", "SCR_Init.3");
    }
  }

  @Test
  void aProjectFindsWhatIsInstalledByCMakeAndCallsEveryFunctionOfItsLanguage() throws Exception {
    Path project = prefix.resolve("build");
    build.run("cmake", "-S", NativeBuild.sources().resolve("tests/installed").toString(), "-B", project.toString(),
        "-DCMAKE_PREFIX_PATH=" + build.installed());
    build.run("cmake", "--build", project.toString());
    for (String program : List.of("every_function", "every_subroutine")) {
      build.run("env", "SCR_ENABLE=0", project.resolve(program).toString());
    }
  }

  @Test
  void aRankThatWaitsInInitSaysForWhom() throws Exception {
    NativeBuild.Program first = startOf2(0, Map.of("SCR_INIT_NOTICE_SECONDS", "1"));
    Eventually.holds("it says so", () -> !first.process().isAlive()
        || first.output().contains("scr: init has waited 1 s for 1 of 2 ranks: rank 1; nodes without ranks: "));
    NativeBuild.Program second = startOf2(1, Map.of());
    for (NativeBuild.Program rank : List.of(first, second)) {
      assertThat(rank.awaitExit()).as(rank.output()).isZero();
      assertThat(rank.output()).contains("steps");
    }
    assertThat(first.output()).contains("init has waited");
    assertThat(second.output()).doesNotContain("init has waited");
  }

  /** Without mpirun, so that MPI waits for nobody. */
  private NativeBuild.Program startOf2(int rank, Map<String, String> more) throws Exception {
    Map<String, String> variables = new HashMap<>(Map.of("SCR_RANK", "" + rank, "SCR_RANKS", "2", "SCR_SOCKET",
        cluster.alive().get(rank).socket().toString()));
    variables.putAll(more);
    return build.start(List.of(build.program("mpi_unchecked").toString()), prefix, variables);
  }

  @Test
  void theOthersHearTheNumberOfAKilledRankAndTheNextRunRestarts() throws Exception {
    NativeBuild.Program killed = start(build.program("mpi_checkpoint"), "2", "5", "die", "3");
    killed.awaitExit();                                    // the code says nothing: mpirun goes on without the rank
    assertThat(killed.output()).contains("wrote step-1", "RANK_LOST (11): rank 3 on node")
        .doesNotContain("wrote step-2");
    for (int rank : List.of(0, 1, 2, 4, 5)) {
      assertThat(killed.output()).contains("rank " + rank + ": SCR_Complete_output returned 11");
    }
    assertThat(run(build.program("mpi_checkpoint"), "1", "5")).contains(everyRank("restarted from step-1"));
  }

  @Test
  void aKilledDaemonIsHeardOfAndItsRanksGoOnWithRebuiltFilesOnASpare() throws Exception {
    Path waiting = prefix.resolve(".waiting");
    NativeBuild.Program running = start(build.program("mpi_checkpoint"), "2", "5", "wait", waiting.toString());
    Eventually.holds("the ranks are in the last checkpoint", () -> Files.exists(waiting));
    String victim = cluster.alive().get(2).name();
    cluster.kill(victim);
    Files.delete(waiting);
    running.awaitExit();
    assertThat(running.output()).contains("NODE_LOST (12): node " + victim, "wrote step-1");
    cluster.wipe(victim);
    cluster.fill(DAEMONS);
    assertThat(run(build.program("mpi_checkpoint"), "1", "5")).contains(everyRank("restarted from step-1"));
  }

  /** Ranks 1 and 2 are on two nodes. */
  @Test
  void aPathOfTwoNodesFailsTheCheckpointAndThePreviousIsRestarted() throws Exception {
    String output = run(build.program("mpi_checkpoint"), "2", "3", "share", "1");
    assertThat(output).contains("wrote step-1").doesNotContain("wrote step-2")
        .contains("NOT_VALID (20)", "is discarded: step-2/all is written by rank 1 on node "
            + cluster.alive().get(0).name() + " and by rank 2 on node " + cluster.alive().get(1).name())
        .contains(IntStream.range(0, RANKS).mapToObj(rank -> "rank " + rank + ": the shared checkpoint returned 20")
            .toList());
    assertThat(run(build.program("mpi_checkpoint"), "1", "3"))
        .contains(everyRank("restarted from step-1")).contains("wrote step-2");
    assertThat(run(build.program("mpi_checkpoint"), "0", "3")).contains(everyRank("restarted from step-2"));
  }

  @Test
  void constantFileNamesListTheNewestAsValidAndRestartFromIt() throws Exception {
    run(build.program("mpi_checkpoint"), "2", "3", "same", "0");
    assertThat(run(build.program("mpi_checkpoint"), "2", "3", "same", "1"))
        .contains(everyRank("restarted from step-2"));
    Index index = index();
    assertThat(index.candidates()).extracting(Index.Entry::name).containsExactly("step-4");
    assertThat(index.entries()).extracting(Index.Entry::name).containsExactly("step-1", "step-2", "step-3", "step-4");
    for (int i = 0; i < 3; i++) {
      assertThat(index.entries().get(i).replacedBy()).hasValue(index.entries().get(i + 1).id());
    }
    Files.writeString(prefix.resolve(".scrconf"), "SCR_CACHE_PURGE=1\n");    // so it comes from the prefix directory
    assertThat(run(build.program("mpi_checkpoint"), "0", "3", "same", "0"))
        .contains(everyRank("restarted from step-4"));
  }

  @Test
  void whatAProgramDoesWrongIsAnErrorAndTheRunGoesOn() throws Exception {
    assertThat(run(build.program("mpi_misuse"))).contains(everyRank("is done"));
  }

  @Test
  void aFortranProgramRestartsWithWhatItWrote() throws Exception {
    assertThat(run(build.program("fortran_checkpoint"))).doesNotContain("restarted");
    assertThat(run(build.program("fortran_checkpoint"))).contains(everyRank("restarted from step-1"));
  }

  @Test
  void noiseOnItsSocketEndsNoDaemon() throws Exception {
    long seed = Long.getLong("seed", 1);
    System.out.println("NativeClientIT -Dseed=" + seed);
    Random random = new Random(seed);
    Path socket = cluster.alive().getFirst().socket();
    for (int round = 0; round < 500; round++) {
      try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
        channel.write(ByteBuffer.wrap(noise(random)));
        if (random.nextInt(4) > 0) {
          channel.shutdownOutput();
          while (channel.read(ByteBuffer.allocate(4096)) >= 0) {
            // answers and complaints, until the daemon closes the connection
          }
        }
      }
    }
    assertThat(cluster.alive()).allMatch(DaemonProcess::isAlive);
    assertThat(run(build.program("mpi_checkpoint"), "1", "3")).contains("wrote step-1");
  }

  /** A call that is right, and then broken in one of several ways. */
  private static byte[] noise(Random random) {
    List<String> verbs = List.of("init", "route", "start-output", "complete-output", "status", "nothing");
    JsonObject body = new JsonObject().put("rank", random.nextInt(3)).put("ranks", random.nextInt(3))
        .put("prefix", "/p").put("jobName", "").put("run", random.nextLong()).put("call", 1).put("valid", true);
    body.remove(List.copyOf(body.fieldNames()).get(random.nextInt(body.size())));
    byte[] bytes = Frames.encode(Frames.send("scr._." + verbs.get(random.nextInt(verbs.size())), "1", body));
    switch (random.nextInt(5)) {
      case 0 -> random.nextBytes(bytes);
      case 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 3 -> {
        byte[] text = "[".repeat(1 + random.nextInt(50_000)).getBytes(StandardCharsets.US_ASCII);
        bytes = ByteBuffer.allocate(4 + text.length).putInt(text.length).put(text).array();
      }
      default -> { }                                       // a right frame with a field too few
    }
    return bytes;
  }
}
