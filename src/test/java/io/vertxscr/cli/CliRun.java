package io.vertxscr.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** One command line run in this process: its exit code and what it printed. */
public record CliRun(int exit, String out, String err) {
  public static CliRun of(Map<String, String> environment, Object... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    int exit = ScrCommand.run(environment, new PrintWriter(out, true), new PrintWriter(err, true), words);
    return new CliRun(exit, out.toString(), err.toString());
  }

  /** {@code scr index} in a prefix directory. */
  public static CliRun index(Path prefix, Object... arguments) {
    return of(Map.of(), Stream.concat(Stream.of("index", "--prefix", prefix), Stream.of(arguments)).toArray());
  }
}
