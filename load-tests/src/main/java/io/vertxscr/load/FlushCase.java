package io.vertxscr.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Synchronous flush: complete-output of a dataset without redundancy, that is flushed before the answer. Background
 * flush: complete-output of a protected dataset that is flushed after it, against the same without any flush.
 */
final class FlushCase {
  private static final int WARM_UP = 3;
  private static final Map<String, String> SYNCHRONOUS = Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0");
  private static final Map<String, String> BACKGROUND = Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1");

  private final Options options;

  FlushCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    for (String target : List.of("ram", "disk")) {
      measure("SINGLE", "synchronous", target, SYNCHRONOUS);
      measure("XOR", "background", target, BACKGROUND);
    }
    measure("XOR", "none", "ram", Map.of());
  }

  private void measure(String scheme, String flush, String target, Map<String, String> settings) throws Exception {
    if (!options.wants(flush + "-" + target)) {
      return;
    }
    Daemons.Setup setup = new Daemons.Setup(scheme, true, options.nodes(), options.nodes(), settings);
    double[] seconds = new double[options.runs()];
    double[] cpu = new double[options.runs()];
    double[] copy = new double[options.runs()];
    Reference reference = new Reference();
    try (Daemons daemons = new Daemons(setup)) {
      Path place = target.equals("ram") ? daemons.beside("parallel")
          : Files.createTempDirectory(options.disk(), "scr-load-");
      try (var _ = new Deleted(place)) {
        daemons.startAll();
        Path prefix = Files.createDirectories(place.resolve("prefix"));
        try (Ranks ranks = Ranks.open(daemons, prefix)) {
          Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0);
          for (int run = -WARM_UP; run < options.runs(); run++) {
            checkpoints.start();
            checkpoints.write();
            double before = daemons.cpuSeconds();
            double took = checkpoints.complete();
            double used = daemons.cpuSeconds() - before;
            if (!flush.equals("none")) {
              awaitFlushed(prefix, checkpoints.dataset());
            }
            if (run >= 0) {
              seconds[run] = took;
              cpu[run] = used;
              copy[run] = Reference.copied(daemons.cachedFiles(checkpoints.dataset()), place.resolve("copies"), true);
              reference.sample(daemons.cachedFiles(checkpoints.dataset()), daemons.beside("copies"));
            }
            Daemons.delete(prefix.resolve("ckpt." + checkpoints.step()));
          }
          ranks.all(scr -> scr.finish());
        }
        long bytes = options.bytes() * setup.ranks();
        double median = new Samples(seconds).median();
        new Result("flush", setup, bytes).with("flush", flush).with("target", target).seconds(new Samples(seconds))
            .cost(new Samples(cpu), daemons.peakRssBytes()).with("reference", reference.json())
            .with("cpSyncBytesPerSecond", (double) Math.round(new Samples(copy).median()))
            .with("timesCpSync", bytes / median / new Samples(copy).median()).print();
      }
    }
  }

  /** The summary is written last but for the index. */
  private static void awaitFlushed(Path prefix, int dataset) throws Exception {
    Path summary = prefix.resolve(".scr/scr.dataset." + dataset + "/summary.scr");
    Daemons.await(() -> Files.exists(summary), summary.toString());
  }

  /** Deletes a tree in the end. */
  private record Deleted(Path tree) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      Daemons.delete(tree);
    }
  }
}
