package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Goal: every command and option stands in its manual page and is completed; hidden ones in none. */
class PagesCommandTest {
  @TempDir
  private Path directory;

  private final CommandLine scr = ScrCommand.whole(Map.of());

  @BeforeEach
  void write() {
    assertThat(CliRun.of(Map.of(), "pages", directory)).isEqualTo(new CliRun(0, "", ""));
  }

  private String page(String name) throws IOException {
    return Files.readString(directory.resolve("share/man/man1").resolve(name + ".1"));
  }

  private static List<String> names(CommandLine command) {
    return command.getCommandSpec().options().stream().filter(option -> !option.hidden())
        .flatMap(option -> Stream.of(option.names())).toList();
  }

  @Test
  void everyCommandHasAPageWithEachOptionAndArgument() throws IOException {
    List<String> expected = new ArrayList<>(List.of("scr.1"));
    for (CommandLine command : ScrCommand.shown(scr)) {
      expected.add(ManPage.name(command) + ".1");
      String page = page(ManPage.name(command));
      assertThat(page).startsWith(".TH \"SCR-").contains(".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION");
      for (String option : names(command)) {
        assertThat(page).as(command.getCommandName()).contains("\\fB" + option.replace("-", "\\-") + "\\fR");
      }
      command.getCommandSpec().positionalParameters().stream().filter(place -> !place.hidden()).forEach(place ->
          assertThat(page).contains("\\fI" + ManPage.text(place.paramLabel()) + "\\fR"));
      assertThat(page("scr")).contains("\\fB" + command.getCommandName().replace("-", "\\-") + "\\fR\n");
    }
    try (Stream<Path> files = Files.list(directory.resolve("share/man/man1"))) {
      assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void whatIsHiddenStandsNowhere() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("share"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = Files.readString(file);
        for (CommandLine command : scr.getSubcommands().values()) {
          if (command.getCommandSpec().usageMessage().hidden()) {
            assertThat(text).as(file.toString()).doesNotContain("rehearse", "scr pages", "scr_pages");
          }
        }
      }
    }
  }

  /** A line that begins with a dot or an apostrophe and is no request of ours would be lost. */
  @Test
  void noWordOfAPageIsTakenForACommandOfItsLanguage() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("share/man/man1"))) {
      for (Path file : files.toList()) {
        assertThat(Files.readAllLines(file)).as(file.toString()).allMatch(line ->
            !line.startsWith("'") && (!line.startsWith(".") || line.matches("\\.(TH|SH|TP|PP)( .*)?")));
      }
    }
    assertThat(ManPage.text(".a-b's \\ `x")).isEqualTo("\\&.a\\-b\\(aqs \\e \\(gax");
  }

  @Test
  void bashCompletesEveryCommandAndOption() throws Exception {
    Path script = directory.resolve("share/bash-completion/completions/scr");
    assertThat(complete(script, "scr", "")).containsAll(
        ScrCommand.shown(scr).stream().map(CommandLine::getCommandName).toList());
    for (CommandLine command : ScrCommand.shown(scr)) {
      List<String> names = names(command).stream().filter(name -> name.startsWith("--")).toList();
      if (!names.isEmpty() && !command.getCommandName().equals("help")) {
        assertThat(complete(script, "scr", command.getCommandName(), "--")).as(command.getCommandName())
            .containsAll(names);
      }
    }
    assertThat(complete(script, "scr", "stat")).containsExactly("status");
  }

  /** What bash would offer for the last of these words. */
  private List<String> complete(Path script, String... words) throws Exception {
    StringBuilder line = new StringBuilder("source '" + script + "'; COMP_WORDS=(");
    Stream.of(words).forEach(word -> line.append("'").append(word).append("' "));
    line.append("); COMP_CWORD=").append(words.length - 1)
        .append("; COMP_LINE='").append(String.join(" ", words)).append("'; COMP_POINT=${#COMP_LINE}")
        .append("; _complete_scr; printf '%s\\n' \"${COMPREPLY[@]}\"");
    Process bash = new ProcessBuilder("bash", "-c", line.toString()).redirectErrorStream(true).start();
    List<String> said = new String(bash.getInputStream().readAllBytes()).lines().map(String::strip).toList();
    assertThat(bash.waitFor()).as(said.toString()).isZero();
    return said;
  }

  @Test
  void zshCompletesThemToo() throws IOException {
    String function = Files.readString(directory.resolve("share/zsh/site-functions/_scr"));
    assertThat(function).startsWith("#compdef scr\n");
    for (CommandLine command : ScrCommand.shown(scr)) {
      String name = command.getCommandName();
      assertThat(function).contains("'" + name + ":" + ManPage.summary(command).replace("'", "'\\''") + "'");
      String part = function.substring(function.indexOf("      " + name + ")\n")).split(";;")[0];
      for (OptionSpec option : command.getCommandSpec().options()) {
        for (String one : option.names()) {
          assertThat(Stream.of("[", "=[", "+[").anyMatch(follows -> part.contains("'" + one + follows)))
              .as(name + " " + one).isEqualTo(!option.hidden());
        }
      }
    }
  }
}
