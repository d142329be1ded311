package io.vertxscr.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The program that the README shows, and the commands for it, as they stand there. */
public final class ReadmeExample {
  private static final String BEFORE_COMMAND = "    ";

  private ReadmeExample() {}

  /** {@code Example.java}. */
  public static String program() throws IOException {
    List<String> lines = section();
    int start = lines.indexOf("```java") + 1;
    return String.join("\n", lines.subList(start, start + lines.subList(start, lines.size()).indexOf("```")));
  }

  /** For the shell, in the directory of the installation. */
  public static List<String> commands() throws IOException {
    List<String> lines = section();
    return lines.subList(lines.lastIndexOf("```"), lines.size()).stream()
        .filter(line -> line.startsWith(BEFORE_COMMAND)).map(String::strip).toList();
  }

  private static List<String> section() throws IOException {
    Path home = Path.of(System.getProperty("scr.home", "."));
    return Files.readAllLines(home.resolve("README.md")).stream()
        .dropWhile(line -> !line.equals("## A program that checkpoints")).skip(1)
        .takeWhile(line -> !line.startsWith("## ")).toList();
  }
}
