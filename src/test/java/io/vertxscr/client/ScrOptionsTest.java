package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a process finds rank, size, prefix and daemon as in C and Python, or reports what is missing. Method: the cases
 * of launchers that the tests of all clients read, and sockets in a control directory.
 */
class ScrOptionsTest {
  private static final Path LAUNCHERS = Path.of("clients/launchers.txt");

  @TempDir
  Path base;
  private final List<ServerSocketChannel> daemons = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (ServerSocketChannel daemon : daemons) {
      daemon.close();
    }
  }

  static List<String> cases() throws IOException {
    List<String> cases = Files.readAllLines(LAUNCHERS).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    assertThat(cases).hasSizeGreaterThan(40);
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void rankAndSizeAreFoundAsTheClientsOfOtherLanguagesDo(String line) {
    List<String> words = List.of(line.split(" +"));
    Map<String, String> environment = new HashMap<>(Map.of("SCR_SOCKET", "/s"));
    words.stream().filter(word -> word.contains("=")).map(word -> word.split("=", 2))
        .forEach(variable -> environment.put(variable[0], variable[1]));
    if (words.getFirst().equals("refused")) {
      assertRefused(environment, "RANK");
    } else {
      ScrOptions options = ScrOptions.of(environment);
      assertThat(List.of(options.rank(), options.ranks()))
          .isEqualTo(words.subList(0, 2).stream().map(Integer::parseInt).toList());
    }
  }

  @Test
  void whatTheEnvironmentSaysOfScrGoesToTheDaemon() {
    Map<String, String> environment = new HashMap<>(Map.of(
        "SCR_SOCKET", "/s", "SCR_RANK", "1", "SCR_RANKS", "2", "SCR_PREFIX", "/p/./x", "SCR_JOB_NAME", "job"));
    assertThat(ScrOptions.of(environment)).isEqualTo(new ScrOptions(
        Path.of("/s"), 1, 2, Path.of("/p/x"), "job", new TreeMap<>(environment), List.of()));
    environment.put("SCR_RANK", "one");
    assertRefused(environment, "SCR_RANK is 'one'");
    environment.put("SCR_RANK", "2");
    assertRefused(environment, "rank 2 of 2, from SCR_RANK and SCR_RANKS");
  }

  @Test
  void thePrefixDirectoryIsTheWorkingDirectoryWhereNothingIsSaid() {
    Map<String, String> environment = new HashMap<>(Map.of("SCR_SOCKET", "/s", "SCR_RANK", "0", "SCR_RANKS", "1"));
    assertThat(ScrOptions.of(environment).prefix()).isEqualTo(Path.of("").toAbsolutePath());
    environment.put("SCR_PREFIX", "out/../x");
    assertThat(ScrOptions.of(environment).prefix()).isEqualTo(Path.of("x").toAbsolutePath());
    assertThat(ScrOptions.of(Map.of("SCR_ENABLE", "0")).prefix()).isEqualTo(Path.of("").toAbsolutePath());
  }

  @Test
  void howLongInitWaitsInSilenceIsThirtySecondsOrWhatTheEnvironmentSays() {
    Map<String, String> environment = new HashMap<>(Map.of("SCR_SOCKET", "/s", "SCR_RANK", "0", "SCR_RANKS", "1"));
    assertThat(ScrOptions.of(environment).initNoticeSeconds()).isEqualTo(30);
    for (int seconds : new int[] {0, 5, 1_000_000}) {
      environment.put("SCR_INIT_NOTICE_SECONDS", "" + seconds);
      assertThat(ScrOptions.of(environment).initNoticeSeconds()).isEqualTo(seconds);
    }
    for (String wrong : List.of("-1", "1000001", "soon", "1.5", "99999999999999999999")) {
      environment.put("SCR_INIT_NOTICE_SECONDS", wrong);
      assertThatThrownBy(() -> ScrOptions.of(environment).initNoticeSeconds()).isInstanceOf(ScrException.class)
          .hasMessageContaining("SCR_INIT_NOTICE_SECONDS is '" + wrong + "', expected 0 to 1000000");
    }
  }

  @Test
  void ofSeveralSocketsNeighboursShareOne() {
    for (String ranks : List.of("aaabbbcc", "abc", "ab", "a")) {
      StringBuilder found = new StringBuilder();
      for (int rank = 0; rank < ranks.length(); rank++) {
        found.append(ScrOptions.of(Map.of("SCR_SOCKET", "/a:/b:/c", "SCR_RANK", "" + rank, "SCR_RANKS",
            "" + ranks.length())).socket().getFileName());
      }
      assertThat(found.toString()).isEqualTo(ranks);
    }
  }

  @Test
  void anEntryThatCanBeNoSocketIsRefusedByItsName() {
    Map<String, String> environment = environment();
    for (String given : List.of(":", "/a:", ":/a", "/a::/b")) {
      environment.put("SCR_SOCKET", given);
      assertRefused(environment, "SCR_SOCKET is '" + given + "' and has an empty entry");
    }
    environment.put("SCR_SOCKET", "/" + "x".repeat(107));
    assertRefused(environment, "108 bytes");
  }

  @Test
  void withoutSocketTheOnlyDaemonOfTheJobThatListensIsFoundOrThatOfThisHost() throws IOException {
    assertRefused(environment(), Fault.NODE_LOST, base + "/u/scr.local; there is none");
    listen("local", "dead").close();                       // killed: its socket is left
    assertRefused(environment(), Fault.NODE_LOST, base + "/u/scr.local; there is none");
    listen("local", "n1");
    assertThat(ScrOptions.of(environment()).socket()).isEqualTo(socket("local", "n1"));
    listen("local", "n2");
    assertRefused(environment(), "there are several: " + socket("local", "n1") + ", " + socket("local", "n2"));
    String host = InetAddress.getLocalHost().getHostName();
    listen("local", host);
    assertThat(ScrOptions.of(environment()).socket()).isEqualTo(socket("local", host));
  }

  @Test
  void theJobIsThatOfTheDaemons() throws IOException {
    Map<String, String> environment = environment();
    for (String name : List.of("LSB_JOBID", "PBS_JOBID", "FLUX_JOB_ID", "SLURM_JOB_ID", "SCR_JOB_ID")) {
      environment.put(name, name);                         // each counts more than those before it
      listen(name, "n1");
      assertThat(ScrOptions.of(environment).socket()).isEqualTo(socket(name, "n1"));
    }
  }

  private Map<String, String> environment() {
    return new HashMap<>(Map.of("SCR_CNTL_BASE", base.toString(), "USER", "u", "PMI_RANK", "0", "PMI_SIZE", "1"));
  }

  private Path socket(String job, String node) {
    return base.resolve("u/scr." + job).resolve(node).resolve("scr.sock");
  }

  private ServerSocketChannel listen(String job, String node) throws IOException {
    Path socket = socket(job, node);
    Files.createDirectories(socket.getParent());
    ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    daemons.add(daemon);
    return daemon.bind(UnixDomainSocketAddress.of(socket));
  }

  private static void assertRefused(Map<String, String> environment, String words) {
    assertRefused(environment, Fault.BAD_CONFIGURATION, words);
  }

  private static void assertRefused(Map<String, String> environment, Fault fault, String words) {
    assertThatThrownBy(() -> ScrOptions.of(environment)).hasMessageContaining(words)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }
}
