package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.cli.scr.ScrNames;
import io.vertxscr.config.Parameter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: batch scripts, manifests and links name only commands, options and parameters that there are. */
class SampleFilesTest {
  private static final Path CONF = Path.of("conf");
  private static final List<Path> MANIFESTS = List.of(CONF.resolve("kubernetes/scr.yaml"),
      CONF.resolve("kubernetes/sidecar.yaml"), CONF.resolve("compose/compose.yaml"));
  /** Of processes, not of the configuration. */
  private static final Set<String> OTHERS = Set.of("SCR_RANK", "SCR_RANKS", "SCR_SOCKET", "SCR_IMAGE");
  private static final Pattern COMMAND = Pattern.compile("\\bscr (?<command>[a-z][a-z-]+)(?<rest>[^|;)&\n]*)");

  static List<Path> scripts() throws Exception {
    try (Stream<Path> files = Files.list(CONF.resolve("batch"))) {
      return files.sorted().toList();
    }
  }

  private static String help(String command) {
    CliRun help = CliRun.of(Map.of(), command, "--help");
    assertThat(help.exit()).as(command).isZero();
    return help.out();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void everyScriptIsOneForTheShell(Path script) throws Exception {
    assertThat(Files.isExecutable(script)).isTrue();
    Process check = new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();
    assertThat(check.waitFor()).isZero();
  }

  /** With the program of this build in place of the installed one, and an instance for a user that there is. */
  @Test
  void theUnitIsOneForSystemd(@TempDir Path directory) throws Exception {
    Path unit = directory.resolve("vertx-scr@root.service");
    Files.writeString(unit, Files.readString(Path.of("src/packaging/deb/vertx-scr@.service"))
        .replace("/usr/bin/scr", Path.of("bin/scr").toAbsolutePath().toString()));
    Process check;
    try {
      check = new ProcessBuilder("systemd-analyze", "verify", "--man=no", unit.toString()).redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      Assumptions.abort("no systemd-analyze: " + e.getMessage());
      return;
    }
    assertThat(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
    assertThat(check.waitFor()).isZero();
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void everyCommandOfAScriptHasItsOptions(Path script) throws Exception {
    String text = Files.readString(script).lines().filter(line -> !line.startsWith("#"))
        .collect(Collectors.joining("\n")).replace("\\\n", " ");
    Matcher commands = COMMAND.matcher(text);
    int found = 0;
    while (commands.find()) {
      found++;
      String help = help(commands.group("command"));
      // The options of scr run end where its launcher begins.
      Arrays.stream(commands.group("rest").strip().split("\\s+")).takeWhile(word -> !word.matches("srun|flux"))
          .filter(word -> word.startsWith("--")).map(word -> word.split("=")[0])
          .forEach(option -> assertThat(help).contains(option));
    }
    assertThat(found).isPositive();
  }

  @Test
  void everyLinkInBinIsTheNameThatScrHasForACommandAndEveryNameHasALink() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("bin"))) {
      List<Path> links = files.filter(Files::isSymbolicLink).toList();
      assertThat(links).extracting(link -> link.getFileName().toString())
          .containsAll(ScrNames.all()).contains("scr_scavenge", "scr_inspect");
      for (Path link : links) {
        assertThat(Files.readSymbolicLink(link)).as(link.toString()).isEqualTo(Path.of("scr"));
        help(link.getFileName().toString());
      }
    }
  }

  @Test
  void everyParameterInASampleIsOne() throws Exception {
    Set<String> known = Arrays.stream(Parameter.values()).map(Parameter::name)
        .collect(Collectors.toCollection(TreeSet::new));
    known.addAll(OTHERS);
    for (Path file : Stream.concat(scripts().stream(), MANIFESTS.stream()).toList()) {
      Matcher names = Pattern.compile("\\bSCR_[A-Z_]+").matcher(Files.readString(file));
      while (names.find()) {
        assertThat(known).as(file.toString()).contains(names.group());
      }
    }
  }
}
