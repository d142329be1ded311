package io.vertxscr.demo;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The directory for what a demo leaves. */
public final class DemoDirectory {
  private static final String MARK = "README.txt";
  private static final String TEXT = """
      Left by `bin/scr demo`; the next demo that is told to use this directory deletes all of it.

      final.png     the final field
      undisturbed/  the final field of the undisturbed run, raw doubles
      disturbed/    that of the run that lost a node
      prefix/       the prefix directory: flushed checkpoints, and what is known of them in .scr/
      logs/         the daemons' logs, where they were processes
      """;

  private DemoDirectory() {}

  /**
   * Creates it, with an empty prefix directory. What an earlier demo left there is deleted; anything else is not.
   *
   * @throws ScrException BAD_CONFIGURATION where it holds something else
   */
  public static void prepare(Path directory) throws IOException {
    if (Files.exists(directory)) {
      if (!isEmpty(directory) && !isMarked(directory)) {
        throw new ScrException(Fault.BAD_CONFIGURATION, directory + " holds something that no demo left there:"
            + " choose another directory with --out");
      }
      for (Path entry : entries(directory)) {
        Trees.delete(entry);
      }
    }
    Files.createDirectories(directory.resolve("prefix"));
    Files.writeString(directory.resolve(MARK), TEXT);
  }

  private static boolean isMarked(Path directory) throws IOException {
    Path mark = directory.resolve(MARK);
    return Files.isRegularFile(mark) && Files.size(mark) == TEXT.length() && Files.readString(mark).equals(TEXT);
  }

  private static boolean isEmpty(Path directory) throws IOException {
    return entries(directory).isEmpty();
  }

  private static List<Path> entries(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new ScrException(Fault.BAD_CONFIGURATION, directory + " is not a directory");
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }
}
