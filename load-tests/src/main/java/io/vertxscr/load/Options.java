package io.vertxscr.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Selection of measurements.
 *
 * @param kind encode, rebuild, flush, fetch, phase, containers or index
 * @param filter found in the labels of the cases to run; a label looks like {@code XOR-direct}
 * @param bytes of each file
 * @param runs measured, after the warm-up
 * @param nodes with ranks
 * @param disk directory on a disk
 * @param files of all ranks together, where a case is about many files
 */
record Options(String kind, Pattern filter, long bytes, int runs, int nodes, Path disk, int files) {
  static final List<String> KINDS = List.of("encode", "rebuild", "flush", "fetch", "phase", "containers", "index");
  static final String USAGE = "load-tests/run " + String.join("|", KINDS)
      + " [--case REGEX] [--bytes N[KMG]] [--runs N] [--nodes N] [--disk DIRECTORY] [--files N]\n" + AttackCase.USAGE;
  private static final int FEWEST_RUNS = 5;

  static Options parse(String... arguments) {
    Deque<String> words = new ArrayDeque<>(List.of(arguments));
    String kind = words.isEmpty() ? "" : words.removeFirst();
    if (!KINDS.contains(kind)) {
      throw new LoadException(USAGE);
    }
    boolean small = kind.equals("containers");
    Options options = new Options(kind, Pattern.compile(""), small ? 64L << 10 : 256L << 20, FEWEST_RUNS, 4,
        Path.of("/var/tmp"), small ? 10_000 : 1_000_000);
    while (!words.isEmpty()) {
      String name = words.removeFirst();
      if (words.isEmpty()) {
        throw new LoadException(name + " needs a value; " + USAGE);
      }
      options = options.with(name, words.removeFirst());
    }
    return options;
  }

  /** On the disk; {@code load-tests/run} deletes it, too, however it ends. */
  Path newDirectory() throws IOException {
    Path directory = Files.createTempDirectory(disk, "scr-load-");
    String work = System.getProperty("scr.work");
    if (work != null) {
      Files.writeString(Path.of(work, "elsewhere"), directory + "\n", StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
    return directory;
  }

  private Options with(String name, String value) {
    return switch (name) {
      case "--case" -> new Options(kind, Pattern.compile(value), bytes, runs, nodes, disk, files);
      case "--bytes" -> new Options(kind, filter, bytes(value), runs, nodes, disk, files);
      case "--runs" -> new Options(kind, filter, bytes, Integer.parseInt(value), nodes, disk, files);
      case "--nodes" -> new Options(kind, filter, bytes, runs, Integer.parseInt(value), disk, files);
      case "--files" -> new Options(kind, filter, bytes, runs, nodes, disk, Integer.parseInt(value));
      case "--disk" -> new Options(kind, filter, bytes, runs, nodes, Path.of(value), files);
      default -> throw new LoadException("there is no option " + name + "; " + USAGE);
    };
  }

  private static long bytes(String text) {
    int unit = "KMG".indexOf(text.charAt(text.length() - 1));
    return unit < 0 ? Long.parseLong(text)
        : Long.parseLong(text.substring(0, text.length() - 1)) << (10 * (unit + 1));
  }

  boolean wants(String label) {
    return filter.matcher(label).find();
  }
}
