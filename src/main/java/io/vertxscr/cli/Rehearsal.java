package io.vertxscr.cli;

import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One rank that asks for a restart and writes an empty checkpoint, through the socket of a daemon: what a JVM that is
 * to remember the classes it needed should have done.
 */
final class Rehearsal {
  private Rehearsal() {}

  static void run(Path socket, Path prefix) throws IOException {
    Files.createDirectories(prefix);
    try (Scr rank = Scr.open(new ScrOptions(socket, 0, 1, prefix, "rehearsal"))) {
      rank.restart();
      try (Output checkpoint = rank.startCheckpoint("rehearsal")) {
        checkpoint.complete(true);
      }
      rank.finish();
    }
  }
}
