package io.vertxscr.cli;

import io.vertxscr.model.Release;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code scr pages}: writes manual pages and shell completion, for the build. */
@Command(name = PagesCommand.NAME, hidden = true,
    description = "Write manual pages and shell completion into a directory.")
final class PagesCommand implements Callable<Integer> {
  static final String NAME = "pages";

  private final Map<String, String> environment;

  @Parameters(paramLabel = "DIR", description = "Gets share/man, share/bash-completion, share/zsh, and gz.")
  private Path directory;

  PagesCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws IOException {
    CommandLine scr = ScrCommand.whole(environment);
    List<CommandLine> commands = ScrCommand.shown(scr);
    Path share = directory.resolve("share");
    Path pages = Files.createDirectories(share.resolve("man/man1"));
    Path packed = Files.createDirectories(directory.resolve("gz"));
    write(pages, packed, scr, commands);
    for (CommandLine command : commands) {
      write(pages, packed, command, commands);
    }
    Files.writeString(Files.createDirectories(share.resolve("bash-completion/completions")).resolve("scr"),
        bash(scr));
    Files.writeString(Files.createDirectories(share.resolve("zsh/site-functions")).resolve("_scr"),
        ZshCompletion.of(commands));
    return 0;
  }

  /** As picocli makes it, without the time of the build. */
  static String bash(CommandLine scr) {
    return AutoComplete.bash("scr", scr).replaceFirst("(?m)^# Date:.*$", "# Release: " + Release.NAME);
  }

  private static void write(Path pages, Path packed, CommandLine command, List<CommandLine> all) throws IOException {
    String name = ManPage.name(command) + ".1";
    byte[] page = ManPage.of(command, all).getBytes(StandardCharsets.UTF_8);
    Files.write(pages.resolve(name), page);
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(page);
    }
    Files.write(packed.resolve(name + ".gz"), bytes.toByteArray());
  }
}
