package io.vertxscr.cli.scr;

import java.io.PrintWriter;

/** Runs a command line of ours in this process. */
public interface OurCommands {
  /** @return its exit code */
  int run(PrintWriter out, PrintWriter err, String... words);
}
