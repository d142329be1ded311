package io.vertxscr.load;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Duration of complete-output for the protection of files written before. */
final class EncodeCase {
  private static final int WARM_UP = 4;
  /** Number of small ones run first. The compilers of four young JVMs would be a quarter of the measured CPU. */
  private static final int SMALL = 400;
  private static final long SMALL_BYTES = 1 << 20;

  private final Options options;

  EncodeCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    for (String scheme : List.of("XOR", "PARTNER", "RS")) {
      int nodes = options.nodes();
      for (Daemons.Setup setup : List.of(new Daemons.Setup(scheme, true, nodes, nodes, Map.of()),
          new Daemons.Setup(scheme, false, nodes, nodes, Daemons.PLAIN),
          new Daemons.Setup(scheme, false, nodes, nodes, Map.of()))) {
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
      double wholePhases = 0;
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        Checkpoints small = new Checkpoints(ranks, prefix, SMALL_BYTES, 0);
        while (small.step() < SMALL) {
          small.start();
          small.write();
          small.complete();
        }
        Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), SMALL);
        for (int run = -WARM_UP; run < options.runs(); run++) {
          double beforePhase = daemons.cpuSeconds();
          checkpoints.start();
          checkpoints.write();
          double before = daemons.cpuSeconds();
          double took = checkpoints.complete();
          if (run >= 0) {
            seconds[run] = took;
            cpu[run] = daemons.cpuSeconds() - before;
            wholePhases += daemons.cpuSeconds() - beforePhase;
            reference.sample(daemons.cachedFiles(checkpoints.dataset()), daemons.beside("copies"));
          }
        }
        ranks.all(scr -> scr.finish());
      }
      long bytes = options.bytes() * setup.ranks();
      new Result("encode", setup, bytes).seconds(new Samples(seconds)).cost(new Samples(cpu), daemons.peakRssBytes())
          .with("phaseCpuSecondsPerGB", wholePhases / options.runs() / (bytes / 1e9))
          .with("reference", reference.json())
          .with("timesCp", bytes / new Samples(seconds).median() / reference.cpBytesPerSecond())
          .with("timesTcp", bytes / new Samples(seconds).median() / reference.tcpBytesPerSecond())
          .print();
    }
  }
}
