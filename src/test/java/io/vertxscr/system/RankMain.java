package io.vertxscr.system;

import io.vertxscr.client.Scr;
import java.nio.file.Path;

/** A rank as a process: restarts, writes one checkpoint, reports it, and waits in the next call. */
final class RankMain {
  private RankMain() {}

  public static void main(String[] args) throws Exception {
    int files = Integer.parseInt(args[0]);
    try (Scr scr = Scr.fromEnvironment()) {
      int step = RankProgram.restart(scr, files);
      RankProgram.checkpoint(scr, Path.of(System.getenv("SCR_PREFIX")), step + 1, files);
      System.out.println("written");
      scr.startCheckpoint("step-" + (step + 2));
    }
  }
}
