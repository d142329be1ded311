package io.vertxscr.load;

import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * Rebuild after a kill of a daemon with its storage. A spare has been waiting since before the last checkpoint, and all
 * ranks call init. The time goes from there to the last answer. It includes that the ranks come together, that all that
 * is left is read against its checksums, the rebuild, the check of what was rebuilt and its sync; not the new
 * redundancy, that is made behind the answer. The spare has never read or written anything before.
 */
final class RebuildCase {
  private static final int WARM_UP = 2;
  private static final String PROTECTED_AGAIN = "is protected again";

  private final Options options;

  RebuildCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    for (String scheme : List.of("XOR", "PARTNER", "RS")) {
      for (boolean direct : List.of(true, false)) {
        Daemons.Setup setup = new Daemons.Setup(
            scheme, direct, options.nodes(), options.nodes(), direct ? Map.of() : Daemons.PLAIN);
        if (options.wants(setup.label())) {
          measure(setup);
        }
      }
    }
  }

  private void measure(Daemons.Setup setup) throws Exception {
    double[] seconds = new double[options.runs()];
    double[] cpu = new double[options.runs()];
    Reference reference = new Reference();
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      int step = 0;
      for (int run = -WARM_UP; run < options.runs(); run++) {
        int lost = Math.floorMod(run, setup.nodes());
        long crc;
        daemons.startSpare();
        try (Ranks ranks = Ranks.open(daemons, prefix)) {
          ranks.all(scr -> scr.restart().ifPresent(restart -> restart.complete(true)));
          Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), step);
          checkpoints.start();
          checkpoints.write();
          checkpoints.complete();
          step = checkpoints.step();
          Path file = daemons.cachedFiles(checkpoints.dataset()).get(lost);
          crc = crc(file);
          if (run >= 0) {
            reference.sample(List.of(file), daemons.beside("copies"));
          }
          ranks.all(scr -> scr.finish());
        }
        daemons.replace(lost);
        double before = daemons.cpuSeconds();
        try (Ranks ranks = Ranks.open(daemons, prefix)) {
          if (run >= 0) {
            cpu[run] = daemons.cpuSeconds() - before;
            seconds[run] = ranks.initSeconds();
          }
          String expected = "step-" + step;
          ranks.all(scr -> check(scr, expected, scr.rank() == lost ? crc : -1));
          ranks.all(scr -> scr.finish());
        }
        awaitProtection(daemons, run + WARM_UP + 1);
      }
      print(setup, daemons, new Samples(seconds), new Samples(cpu), reference);
    }
  }

  private void print(Daemons.Setup setup, Daemons daemons, Samples seconds, Samples cpu, Reference reference)
      throws IOException {
    new Result("rebuild", setup, options.bytes()).seconds(seconds).cost(cpu, daemons.peakRssBytes())
        .with("reference", reference.json())
        .with("timesCpSeconds", seconds.median() / (options.bytes() / reference.cpBytesPerSecond()))
        .with("includes", "arrival of the ranks, check of what is left, rebuild, check, sync")
        .print();
  }

  /** Compares restarted with written content. */
  private static void check(Scr scr, String name, long crcOrNone) throws IOException {
    Restart restart = scr.restart().orElseThrow(() -> new LoadException("nothing to restart from"));
    Path file = restart.route(Daemons.file(scr.rank()));
    if (!restart.name().equals(name) || (crcOrNone >= 0 && crc(file) != crcOrNone)) {
      throw new LoadException("restart from " + restart.name() + ", " + file + ": not what was written as " + name);
    }
    restart.complete(true);
  }

  private static long crc(Path file) throws IOException {
    CRC32 crc = new CRC32();
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
    try (FileChannel channel = FileChannel.open(file)) {
      while (channel.read(buffer.clear()) >= 0) {
        crc.update(buffer.flip());
      }
    }
    return crc.getValue();
  }

  private static void awaitProtection(Daemons daemons, int times) throws Exception {
    Daemons.await(() -> daemons.log().split(PROTECTED_AGAIN, -1).length > times, "the dataset " + PROTECTED_AGAIN);
  }
}
