package io.vertxscr.load;

import java.nio.file.Path;
import java.util.Map;
import java.util.List;

/**
 * Init of a run whose caches are empty: the dataset comes from the prefix directory, on the RAM disk. Cold: the daemons
 * have just been started. Warm: they have fetched before, and their cached files were deleted behind their backs, which
 * the time includes that they find out.
 */
final class FetchCase {
  private static final int WARM_UP = 3;

  private final Options options;

  FetchCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    for (boolean cold : List.of(false, true)) {
      String state = cold ? "cold" : "warm";
      if (options.wants(state)) {
        measure(cold, state);
      }
    }
    if (options.wants("large")) {
      new LargeFetchCase(options).run();
    }
  }

  private void measure(boolean cold, String state) throws Exception {
    Daemons.Setup setup = new Daemons.Setup("SINGLE", true, options.nodes(), options.nodes(),
        Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0"));
    double[] seconds = new double[options.runs()];
    double[] cpu = new double[options.runs()];
    Reference reference = new Reference();
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      int dataset;
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0);
        checkpoints.start();
        checkpoints.write();
        checkpoints.complete();
        dataset = checkpoints.dataset();
        ranks.all(scr -> scr.finish());
      }
      for (int run = cold ? 0 : -WARM_UP; run < options.runs(); run++) {
        if (run >= 0) {
          reference.sample(daemons.cachedFiles(dataset), daemons.beside("copies"));
        }
        daemons.emptyCaches(cold);
        double before = daemons.cpuSeconds();
        try (Ranks ranks = Ranks.open(daemons, prefix)) {
          if (run >= 0) {
            seconds[run] = ranks.initSeconds();
            cpu[run] = daemons.cpuSeconds() - before;
          }
          ranks.all(scr -> scr.restart().orElseThrow(() -> new LoadException("nothing was fetched")).complete(true));
          ranks.all(scr -> scr.finish());
        }
      }
      long bytes = options.bytes() * setup.ranks();
      double median = new Samples(seconds).median();
      new Result("fetch", setup, bytes).with("daemons", state).seconds(new Samples(seconds))
          .cost(new Samples(cpu), daemons.peakRssBytes()).with("reference", reference.json())
          .with("timesCp", bytes / median / reference.cpBytesPerSecond()).print();
    }
  }
}
