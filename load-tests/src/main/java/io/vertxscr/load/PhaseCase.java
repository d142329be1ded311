package io.vertxscr.load;

import io.vertxscr.client.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;

/** Start and complete of checkpoints without files and with small ones, in sequence; and start with full caches. */
final class PhaseCase {
  private static final int PHASES_OF_RUN = 100;
  private static final int WARM_UP = 6000;
  /** Of phases with small files, whose daemons are young. */
  private static final int FIRST = 14;
  private static final byte[] SMALL = {1};

  private final Options options;
  private final int phases;

  PhaseCase(Options options) {
    this.options = options;
    this.phases = PHASES_OF_RUN * options.runs();
  }

  void run() throws Exception {
    for (int ranksOfNode : List.of(1, 2)) {
      Daemons.Setup setup = new Daemons.Setup("XOR", true, options.nodes(), options.nodes() * ranksOfNode, Map.of());
      if (options.wants("empty-" + setup.ranks())) {
        empty(setup);
      }
    }
    for (int filesOfRank : List.of(10, 2000)) {
      Daemons.Setup setup = new Daemons.Setup("XOR", true, options.nodes(), options.nodes(), Map.of());
      if (options.wants("small-" + filesOfRank)) {
        small(setup, filesOfRank, filesOfRank > 100 ? 40 : 400, (filesOfRank > 100 ? 4 : 40) * options.runs());
      }
    }
    for (int ranksOfNode : List.of(16, 1024)) {
      Daemons.Setup setup = new Daemons.Setup("XOR", true, RanksCase.NODES, RanksCase.NODES * ranksOfNode, Map.of());
      if (options.wants("ranks-" + setup.ranks())) {
        new RanksCase(options, false).run(setup);
      }
    }
    for (int ranksOfNode : List.of(16, 128)) {
      Daemons.Setup setup = new Daemons.Setup("XOR", true, RanksCase.NODES, RanksCase.NODES * ranksOfNode, Map.of());
      if (options.wants("files-" + setup.ranks())) {
        new RanksCase(options, true).run(setup);
      }
    }
    Daemons.Setup setup = new Daemons.Setup("XOR", true, options.nodes(), options.nodes(), Map.of());
    if (options.wants("full")) {
      full(setup);
    }
    if (options.wants("scrub")) {
      new ScrubCase(options).run();
    }
  }

  private void empty(Daemons.Setup setup) throws Exception {
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        double[][] first = phases(ranks, PHASES_OF_RUN);
        phases(ranks, WARM_UP);
        double before = daemons.cpuSeconds();
        double[][] times = phases(ranks, phases);
        double used = daemons.cpuSeconds() - before;
        ranks.all(scr -> scr.finish());
        new Result("phase", setup, 0).seconds(new Samples(times[0]))
            .with("startSeconds", new Samples(times[1]).json())
            .with("firstSeconds", new Samples(first[0]).json())
            .with("cpuMillisecondsPerPhase", 1000 * used / phases)
            .with("peakRssBytes", daemons.peakRssBytes())
            .with("readySeconds", daemons.readySeconds()).print();
      }
    }
  }

  /** Durations as rank 0 sees them: of whole phases, and of their starts. */
  static double[][] phases(Ranks ranks, int count) throws Exception {
    double[][] times = new double[2][count];
    ranks.all(scr -> {
      for (int i = 0; i < count; i++) {
        long begin = System.nanoTime();
        Output output = scr.startCheckpoint("phase");
        long started = System.nanoTime();
        output.complete(true);
        if (scr.rank() == 0) {
          times[0][i] = (System.nanoTime() - begin) / 1e9;
          times[1][i] = (started - begin) / 1e9;
        }
      }
    });
    return times;
  }

  private void small(Daemons.Setup setup, int filesOfRank, int warmUp, int measured) throws Exception {
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        double[] first = completes(ranks, prefix, filesOfRank, FIRST);
        completes(ranks, prefix, filesOfRank, warmUp);
        double before = daemons.cpuSeconds();
        double[] seconds = completes(ranks, prefix, filesOfRank, measured);
        double used = daemons.cpuSeconds() - before;
        ranks.all(scr -> scr.finish());
        new Result("complete-with-small-files", setup, 0).seconds(new Samples(seconds))
            .with("filesOfRank", filesOfRank)
            .with("firstSeconds", new Samples(first).json())
            .with("cpuMillisecondsPerPhase", 1000 * used / measured)
            .with("peakRssBytes", daemons.peakRssBytes()).print();
      }
    }
  }

  /** Durations of complete as rank 0 sees them. All ranks have written when it begins. */
  private static double[] completes(Ranks ranks, Path prefix, int filesOfRank, int count) throws Exception {
    double[] times = new double[count];
    CyclicBarrier written = new CyclicBarrier(ranks.count());
    ranks.all(scr -> {
      for (int i = 0; i < count; i++) {
        Output output = scr.startCheckpoint("small");
        for (int file = 0; file < filesOfRank; file++) {
          Files.write(output.route(prefix + "/small/" + scr.rank() + "." + file), SMALL);
        }
        written.await();
        long begin = System.nanoTime();
        output.complete(true);
        if (scr.rank() == 0) {
          times[i] = (System.nanoTime() - begin) / 1e9;
        }
      }
    });
    return times;
  }

  private void full(Daemons.Setup setup) throws Exception {
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        phases(ranks, WARM_UP);
        Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0);
        double[] seconds = new double[2 * options.runs() + 1];
        for (int run = 0; run < seconds.length; run++) {
          seconds[run] = checkpoints.start();
          checkpoints.write();
          checkpoints.complete();
        }
        ranks.all(scr -> scr.finish());
        // The first one found the caches empty.
        new Result("start-with-full-cache", setup, 0)
            .seconds(new Samples(Arrays.copyOfRange(seconds, 1, seconds.length)))
            .with("bytesInCache", options.bytes() * setup.ranks()).print();
      }
    }
  }
}
