package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: answers on standard output; a failure is one sentence on standard error and its exit code. */
class ScrTest {
  @TempDir
  private Path directory;

  private record Ran(int exit, String out, String err) {}

  @Test
  void versionTellsTheVersionOfTheBuild() {
    Ran ran = run(Map.of(), "version");

    assertThat(ran.out()).matches("scr \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?, Java 2[5-9].*\\R");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
  }

  @Test
  void helpListsTheCommands() {
    assertThat(run(Map.of(), "help").out()).contains("config", "version", "help", "Print the value of every parameter");
  }

  @Test
  void configPrintsEveryValueWithItsSourceInColumns() throws IOException {
    Path file = Files.writeString(directory.resolve("scr.conf"), "SCR_FLUSH=3\n");
    Ran ran = run(Map.of("SCR_CONF_FILE", file.toString(), "SCR_SET_SIZE", "4", "USER", "alice"), "config");

    assertThat(ran.out().lines())
        .contains("configuration file: " + file)
        .contains("SCR_FLUSH                3       " + file + " line 1")
        .contains("SCR_SET_SIZE             4       environment")
        .contains("SCR_CACHE_SIZE           1       default")
        .contains("SCR_USER_NAME            alice   USER")
        .contains("SCR_PREFIX               -       default");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
  }

  @Test
  void configExplainsOnRequest() {
    assertThat(run(Map.of(), "config", "--explain").out()).contains("checkpoints kept in the cache");
  }

  @Test
  void theConfigurationOfTheInstallationIsUsedWhereItExists() throws IOException {
    Map<String, String> environment = Map.of("SCR_HOME", directory.toString());
    assertThat(run(environment, "config").out()).contains("configuration file: none");

    Files.createDirectories(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf/scr.conf"), "SCR_FLUSH=7\n");
    assertThat(run(environment, "config").out()).contains("scr.conf line 1");
  }

  @Test
  void aWrongConfigurationIsOneSentenceAndExitCode2() throws IOException {
    Path file = Files.writeString(directory.resolve("scr.conf"), "SCR_FLSH=3\n");

    assertThat(run(Map.of(), "config", "--file", file.toString())).isEqualTo(new Ran(2, "",
        "scr: " + file + " line 1: unknown parameter SCR_FLSH; did you mean SCR_FLUSH?\n"));
  }

  @Test
  void theStackIsShownOnlyForDebugging() {
    Map<String, String> wrong = Map.of("SCR_FLUSH", "x");

    assertThat(run(wrong, "config").err()).hasLineCount(1);
    assertThat(run(Map.of("SCR_FLUSH", "x", "SCR_DEBUG", "1"), "config").err()).contains("\tat io.vertxscr");
  }

  @Test
  void aNameThatOnlyLooksLikeAParameterIsReportedBesideTheAnswer() {
    assertThat(run(Map.of("SCR_FLSH", "1"), "config"))
        .returns(0, Ran::exit)
        .returns("scr: SCR_FLSH in the environment is not a parameter; did you mean SCR_FLUSH?\n", Ran::err);
  }

  @ParameterizedTest
  @CsvSource({
      "confg,         'there is no command ''confg''; did you mean config?'",
      "frobnicate,    'there is no command ''frobnicate'''",
      "'',            'a command is missing; one of demo, node, status, config, index, print, version, help'",
      "config --flie x, 'Unknown options: ''--flie'', ''x'''"})
  void aWrongCommandLineIsASentenceAndExitCode2(String line, String sentence) {
    Ran ran = run(Map.of(), line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(ran.err().lines().findFirst().orElseThrow()).isEqualTo("scr: " + sentence);
    assertThat(ran.err()).hasLineCount(2);
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
  }

  private static Ran run(Map<String, String> environment, String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exit = Scr.run(environment, new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    return new Ran(exit, out.toString(), err.toString());
  }
}
