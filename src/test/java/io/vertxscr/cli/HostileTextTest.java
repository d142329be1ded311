package io.vertxscr.cli;

import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.Names;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.scavenge.TestCaches;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: no name of others clears a terminal, sets its title, hides text or forges a line. */
class HostileTextTest {
  private static final String FORGED = "dataset 1 is whole";
  private static final String HOSTILE = "d/\u001b]0;x\u0007\u009b2J\u202e\n" + FORGED + "\n";

  @TempDir
  private Path temp;

  private static void isPlain(String text) {
    assertThat(text.chars().filter(c -> c != '\n' && c != '\t').filter(Names::isControl).count()).as(text).isZero();
    assertThat(text.lines()).as(text).noneMatch(line -> line.startsWith(FORGED));
  }

  @Test
  void commandsPrintHostileNamesOfAMapWithoutTheirControlCharacters() throws IOException {
    Samples samples = new Samples(temp);
    samples.flush(descriptor(1, "b.1"), List.of(samples.cached(1, 0, "x")));
    RankFileMap missing = new Leaf(1, List.of(new RankEntry(0, List.of(
        new FlushedFile(HOSTILE, OptionalLong.of(1), OptionalInt.of(1), List.of())))));
    RankFileMap parts = new Branch(1, 1, List.of(new MapPart(0, "." + HOSTILE)));
    for (RankFileMap map : List.of(missing, parts)) {
      StringBuilder shown = new StringBuilder();
      Files.write(samples.paths.rankMap(1), RankFileMapFile.encode(map));
      for (Object[] command : List.<Object[]>of(
          new Object[] {"index", "--prefix", samples.prefix, "--verify"},
          new Object[] {"index", "--prefix", samples.prefix, "--build"},
          new Object[] {"index", "--prefix", samples.prefix, "--add", "1"},
          new Object[] {"explain", "--prefix", samples.prefix, "1"},
          new Object[] {"print", samples.paths.rankMap(1)})) {
        CliRun ran = CliRun.of(Map.of(), command);
        isPlain(ran.out());
        isPlain(ran.err());
        shown.append(ran.out()).append(ran.err());
      }
      assertThat(shown.toString()).contains("d/\\u001b]0;x\\u0007\\u009b2J\\u202e\\u000a" + FORGED);
    }
  }

  @Test
  void whatIfPrintsHostileNamesOfNodesAndDatasetsWithoutTheirControlCharacters() throws IOException {
    TestCaches caches = new TestCaches(temp, Scheme.XOR, 3, 1, 100);
    caches.dataset(1, "x\u202e" + FORGED);
    String node = "n0\u001b]0;x\u0007\u202e\n" + FORGED;
    Files.move(caches.control.resolve("n0"), caches.control.resolve(node));
    for (List<String> words : List.of(List.of("--if-lost", "any"), List.of("--if-lost", "any", "--json"),
        List.of("--if-lost", "any-two"), List.of("--if-lost", "n1"), List.of("--if-lost", "n7"),
        List.of("--if-lost", HOSTILE), List.of("survival", "--mtbf", "9"),
        List.of("survival", "--mtbf", "9", "--json"))) {
      CliRun ran = CliRun.of(Map.of(), Stream.concat(
          Stream.of("explain", "--prefix", caches.prefix, "--control", caches.control), words.stream()).toArray());
      isPlain(ran.out());
      isPlain(ran.err());
      assertThat(ran.out() + ran.err()).as(words.toString()).contains(words.contains(HOSTILE) ? "scr: "
          : words.contains("n7") ? "n0\\u001b" : "x\\u202e" + FORGED);
    }
  }

  @Test
  void argumentsAreShownWithoutTheirControlCharacters() {
    for (String[] words : List.of(new String[] {HOSTILE}, new String[] {"print", "/none/" + HOSTILE},
        new String[] {"index", "--prefix", "/none/" + HOSTILE}, new String[] {"index", "--" + HOSTILE})) {
      CliRun ran = CliRun.of(Map.of(), (Object[]) words);
      assertThat(ran.exit()).isNotZero();
      isPlain(ran.err());
    }
  }

  /** Method: what the appender of conf/logback.xml would write. */
  @Test
  void logLinesHaveNoControlCharactersAndNoneIsForged() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator reader = new JoranConfigurator();
    reader.setContext(context);
    reader.doConfigure(Path.of("conf/logback.xml").toFile());
    var appender = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("stderr");
    var encoder = (PatternLayoutEncoder) appender.getEncoder();
    Exception failure = new IllegalStateException(HOSTILE, new IOException(HOSTILE));
    LoggingEvent event = new LoggingEvent("", context.getLogger("io.vertxscr.X"), Level.WARN, "lost {}", failure,
        new Object[] {HOSTILE});
    String written = new String(encoder.encode(event), StandardCharsets.UTF_8);
    isPlain(written);
    assertThat(written.lines().filter(line -> line.matches("\\d.*"))).singleElement().asString()
        .endsWith("WARN  X lost d/?]0;x??2J??" + FORGED + "?");
    assertThat(written).contains("java.io.IOException", "IllegalStateException", "\tat ");
    event = new LoggingEvent(
        "", context.getLogger("io.vertxscr.X"), Level.INFO, "plain ä, \u2603", null, new Object[0]);
    assertThat(new String(encoder.encode(event), StandardCharsets.UTF_8)).endsWith(" INFO  X plain ä, \u2603\n");
    context.stop();
  }
}
