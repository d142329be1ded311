package io.vertxscr.system;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

/** Files of a test rank, whose bytes follow from rank, step and number. */
final class RankProgram {
  private RankProgram() {}

  /** Bytes of a file; sizes differ by rank and file, and divide by nothing. */
  static byte[] bytes(int rank, int step, int file) {
    byte[] bytes = new byte[file == 2 ? 0 : 10_007 * (rank + 1) + 13 * file + step];
    new Random(rank * 1_000_003L + step * 101L + file).nextBytes(bytes);
    return bytes;
  }

  static void checkpoint(Scr scr, Path prefix, int step, int files) throws IOException {
    checkpointIn(prefix.resolve("step-" + step), scr, step, files);
  }

  /** Writes the checkpoint with its files in this directory, which may contain those of other steps. */
  static void checkpointIn(Path directory, Scr scr, int step, int files) throws IOException {
    try (Output output = scr.startCheckpoint("step-" + step)) {
      for (int file = 0; file < files; file++) {
        String path = directory + "/rank-" + scr.rank() + "-" + file;
        Files.write(output.route(path), bytes(scr.rank(), step, file));
      }
      output.complete(true);
    }
  }

  /** Reads and compares what the restart offers; returns its step, 0 for none. */
  static int restart(Scr scr, int files) throws IOException {
    Optional<Restart> offered = scr.restart();
    if (offered.isEmpty()) {
      return 0;
    }
    try (Restart restart = offered.get()) {
      int step = Integer.parseInt(restart.name().substring("step-".length()));
      for (int file = 0; file < files; file++) {
        Path path = restart.route("rank-" + scr.rank() + "-" + file);
        if (!Arrays.equals(Files.readAllBytes(path), bytes(scr.rank(), step, file))) {
          throw new IOException("rank " + scr.rank() + ": " + path + " has other bytes than it wrote");
        }
      }
      restart.complete(true);
      return step;
    }
  }
}
