package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.timing.Eventually;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: what operators see of real daemons on a real terminal, which comes back as it was. Method: util-linux's script
 * makes the terminal, whose modes stty tells before and after.
 */
class TerminalIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home"));
  private static final String BEGIN = "\u001b[?1049h";
  private static final String END = "\u001b[?1049l";

  private static DaemonCluster cluster;

  @BeforeAll
  static void open() throws Exception {
    cluster = new DaemonCluster(Map.of("SCR_FLUSH", "2"));
    for (String name : List.of("a", "b", "c")) {
      cluster.startSoon(name);
    }
    for (String name : List.of("a", "b", "c")) {
      cluster.daemon(name).awaitReady();
    }
    Eventually.holds("one cluster", () -> {
      try (StatusOf status = new StatusOf(cluster.daemon("c"))) {
        return status.now().getJsonArray("nodes").size() == 3;
      }
    });
    EmbeddedRun.all(SocketRun.twoOnEach(cluster.prefix(), cluster.alive()).start(scr -> {
      RankProgram.checkpoint(scr, cluster.prefix(), 1, 2);
      RankProgram.checkpoint(scr, cluster.prefix(), 2, 2);
      scr.finish();
      return 0;
    }));
  }

  @AfterAll
  static void close() throws Exception {
    cluster.close();
  }

  private static ProcessBuilder builder(String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(cluster.directory().toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SCR_") || name.equals("NO_COLOR"));
    builder.environment().putAll(Map.of("SCR_JAVA_HOME", System.getProperty("java.home"), "SCR_USER_NAME", "u",
        "SCR_JOB_ID", "1", "SCR_CNTL_BASE", cluster.directory().resolve("c").toString(), "SCR_AOT", "0",
        "SCR_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1", "TERM", "xterm"));
    return builder;
  }

  private static String scr(String arguments) throws Exception {
    Process process = builder("sh", "-c", "exec '" + HOME.resolve("bin/scr") + "' " + arguments).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out + err).isZero();
    assertThat(err).isEmpty();
    return out;
  }

  @Test
  void aPipeGetsThePageWithoutColoursAndScriptsTheWholeAnswer() throws Exception {
    String page = scr("status");
    assertThat(page.lines().toList()).hasSizeLessThanOrEqualTo(24).allMatch(line -> line.length() <= 80);
    assertThat(page).contains("3 nodes: a,b,c", "step-2", "in prefix", "also if any one node dies now")
        .doesNotContain("\u001b");
    String json = scr("status --json --socket '" + cluster.daemon("b").socket() + "'");
    assertThat(json).contains("\"version\" : 1", "\"state\" : \"FULL\"");
    assertThat(scr("status --all")).contains("dataset  name    node");
  }

  @Test
  void eventsOfAllDaemonsAreToldInTheirOrder() throws Exception {
    String events = scr("events --last 100");
    assertThat(events).containsSubsequence("run-begun: run", "phase-started: run", "dataset-complete: run",
        "flush-done: dataset 2", "run-over: run");
    List<JsonObject> lines = scr("events --last 3 --json").lines().map(JsonObject::new).toList();
    assertThat(lines).hasSize(3).allMatch(event -> event.getInteger("version") == 1);
  }

  @Test
  void watchIsEndedByQ() throws Exception {
    watched("q", "step-2");
  }

  /** As a stopped daemon does, the kernel lets clients connect, and nobody answers. */
  @Test
  void watchGoesOnWithTheOthersWhenADaemonHangsAndIsEndedByQ() throws Exception {
    Path hung = Files.createDirectory(cluster.daemon("a").socket().resolveSibling("../hung").normalize());
    Path socket = hung.resolve("scr.sock");
    try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(socket));
      watched("q", "hung/scr.sock");                      // what follows may be on the next line
    } finally {
      Files.deleteIfExists(socket);
      Files.delete(hung);
    }
  }

  @Test
  void watchIsEndedByCtrlC() throws Exception {
    watched("\u0003", "step-2");
  }

  private static void watched(String key, String told) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "needs script of util-linux");
    Path typed = Files.createTempFile(cluster.directory(), "screen", ".txt");
    String commands = "trap : INT; stty -g; '" + HOME.resolve("bin/scr") + "' status --watch; stty -g; echo over";
    // A build in the background ignores SIGINT, and what it starts would, too.
    Process process = builder("env", "--default-signal=INT", "script", "-qfec", commands, typed.toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      OutputStream keys = process.getOutputStream();
      Eventually.holds("a second page", () -> count(shown(typed), "\u001b[H") > 1);
      keys.write(key.getBytes(StandardCharsets.US_ASCII));
      keys.flush();
      Eventually.holds("the end", () -> shown(typed).contains("over\r\n"));
      keys.close();
      assertThat(process.waitFor(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
      String all = shown(typed);
      assertThat(all).contains(told);
      assertThat(all).containsSubsequence(BEGIN, "\u001b[?25l", "\u001b[H", "step-2", "q quits", "\u001b[?25h", END);
      List<String> modes = all.lines().map(String::strip).map(line -> line.replace("^C", ""))
          .filter(line -> line.matches("(.*" + Pattern.quote(END) + ")?[0-9a-f]+(:[0-9a-f]+){10,}"))
          .map(line -> line.substring(line.lastIndexOf('l') + 1)).toList();
      assertThat(modes).as(all).hasSize(2);
      assertThat(modes.getFirst()).isEqualTo(modes.getLast());
    } finally {
      process.destroyForcibly();
    }
  }

  private static String shown(Path typed) throws Exception {
    return Files.readString(typed);
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }
}
