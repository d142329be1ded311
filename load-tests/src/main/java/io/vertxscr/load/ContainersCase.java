package io.vertxscr.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Many small files of one node: synchronous flush into containers and fetch from them. Compared with the same files one
 * by one, by another daemon alternating with the first, and with {@code cp} and {@code sync} of one file of the same
 * size.
 */
final class ContainersCase {
  private static final int WARM_UP = 2;
  private static final int RANKS = 4;
  private static final int PIECE_BYTES = 1 << 20;

  private final Options options;
  private final int filesPerRank;
  private final long bytes;

  ContainersCase(Options options) {
    this.options = options;
    this.filesPerRank = Math.max(1, options.files() / RANKS);
    this.bytes = options.bytes() * filesPerRank * RANKS;
  }

  void run() throws Exception {
    for (String target : List.of("ram", "disk", "cold")) {
      for (String direction : target.equals("cold") ? List.of("fetch") : List.of("flush", "fetch")) {
        if (options.wants(direction + "-" + target)) {
          measure(direction, target);
        }
      }
    }
  }

  private void measure(String direction, String target) throws Exception {
    try (Side packed = new Side(true, target); Side plain = new Side(false, target)) {
      List<Path> whole = List.of(oneFile(packed.daemons.beside("reference").resolve("one")));
      double[] copies = new double[options.runs()];
      boolean fetch = direction.equals("fetch");
      packed.open();
      plain.open();
      if (fetch) {
        packed.flush();
        plain.flush();
      }
      for (int run = -WARM_UP; run < options.runs(); run++) {
        for (Side side : List.of(packed, plain)) {
          if (target.equals("cold")) {
            dropPageCache();
          }
          side.run(run, fetch);
        }
        // a fetch ends in the cache, a flush in the prefix directory
        double rate = Reference.copied(whole, (fetch ? packed.daemons.beside("reference") : packed.place)
            .resolve("copies"), true);
        if (run >= 0) {
          copies[run] = rate;
        }
      }
      double containers = bytes / new Samples(packed.seconds).median();
      double files = bytes / new Samples(plain.seconds).median();
      double copy = new Samples(copies).median();
      new Result("containers", packed.daemons.setup(), bytes).with("direction", direction).with("target", target)
          .with("files", filesPerRank * RANKS).seconds(new Samples(packed.seconds))
          .cost(new Samples(packed.cpu), packed.daemons.peakRssBytes())
          .with("oneByOneSeconds", new Samples(plain.seconds).json())
          .with("oneByOneBytesPerSecond", (double) Math.round(files))
          .with("cpSyncOneFileBytesPerSecond", (double) Math.round(copy))
          .with("timesCpSyncOneFile", containers / copy).with("timesOneByOne", containers / files)
          .print();
    }
  }

  /** Drops the page cache, which is cold where a job begins; needs root. */
  private static void dropPageCache() throws IOException, InterruptedException {
    if (new ProcessBuilder("sync").inheritIO().start().waitFor() != 0) {
      throw new LoadException("sync failed");
    }
    Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "3\n");
  }

  private Path oneFile(Path path) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long done = 0; done < bytes; done += PIECE_BYTES) {
        piece.putLong(0, done).clear().limit((int) Math.min(PIECE_BYTES, bytes - done));
        while (piece.hasRemaining()) {
          channel.write(piece);
        }
      }
    }
    return path;
  }

  /** One daemon with its ranks and its prefix directory: with containers, or without. */
  private final class Side implements AutoCloseable {
    final Daemons daemons;
    final Path place;
    final Path prefix;
    final double[] seconds = new double[options.runs()];
    final double[] cpu = new double[options.runs()];
    private Ranks ranks;
    private Checkpoints checkpoints;

    Side(boolean packed, String target) throws Exception {
      daemons = new Daemons(new Daemons.Setup("SINGLE", true, 1, RANKS,
          Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_USE_CONTAINERS", packed ? "1" : "0")));
      place = target.equals("ram") ? daemons.beside("parallel") : options.newDirectory();
      prefix = Files.createDirectories(place.resolve("prefix"));
    }

    void open() throws Exception {
      daemons.startAll();
      ranks = Ranks.open(daemons, prefix);
      checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0, filesPerRank);
    }

    void run(int run, boolean fetch) throws Exception {
      double[] took = fetch ? fetch() : flush();
      if (run >= 0) {
        seconds[run] = took[0];
        cpu[run] = took[1];
      }
    }

    /** Flushes one checkpoint, in place of the one before: the time, and the CPU time of the daemon. */
    double[] flush() throws Exception {
      if (checkpoints.step() > 0) {
        Daemons.delete(prefix.resolve("ckpt." + checkpoints.step()));
        Daemons.delete(prefix.resolve(".scr/scr.dataset." + checkpoints.dataset()));
      }
      checkpoints.start();
      checkpoints.write();
      double before = daemons.cpuSeconds();
      double took = checkpoints.complete();
      return new double[] {took, daemons.cpuSeconds() - before};
    }

    /** Fetches that checkpoint into empty caches: the time, and the CPU time of the daemon. */
    double[] fetch() throws Exception {
      ranks.all(scr -> scr.finish());
      ranks.close();
      daemons.emptyCaches(false);
      double before = daemons.cpuSeconds();
      ranks = Ranks.open(daemons, prefix);
      double used = daemons.cpuSeconds() - before;
      ranks.all(scr -> scr.restart().orElseThrow(() -> new LoadException("nothing was fetched")).complete(true));
      return new double[] {ranks.initSeconds(), used};
    }

    @Override
    public void close() throws IOException {
      if (ranks != null) {
        ranks.close();
      }
      daemons.close();
      Daemons.delete(place);
    }
  }
}
