package io.vertxscr.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the scrub costs phases: checkpoints of daemons that read a large one at 100 MB/s and of daemons that scrub
 * nothing, in turn, each with a second before it in which the application computes. The large one has a store of its
 * own, so it stays.
 */
final class ScrubCase {
  private static final String READING = "100MB";
  private static final int ROUNDS = 3;
  private static final int LARGE_EACH = 640;
  private static final int SMALL_PART = 16;
  private static final double READS_MB = 50;
  private static final long COMPUTES_MS = 1000;
  private static final double MILLION = 1e6;

  private final Options options;

  /** Of one kind of daemons: durations as rank 0 sees them, and what daemons do while the application computes. */
  private record Seen(List<Double> starts, List<Double> writes, List<Double> completes, List<Double> readMbPerSecond,
      List<Double> cpuPerSecond) {
    Seen() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  ScrubCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    Seen without = new Seen();
    Seen with = new Seen();
    Path stores = Daemons.newDirectory();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        measure(setup(stores, "0"), without);
        measure(setup(stores, "1"), with);
      }
    } finally {
      Daemons.delete(stores);
    }
    print("off", without);
    print(READING, with);
  }

  private void print(String scrub, Seen all) {
    Daemons.Setup setup = new Daemons.Setup("XOR", true, options.nodes(), options.nodes(), Map.of());
    new Result("complete-beside-scrub", setup, options.bytes() / SMALL_PART * setup.ranks())
        .with("scrub", scrub).seconds(samples(all.completes()))
        .with("startSeconds", samples(all.starts()).json())
        .with("writeSeconds", samples(all.writes()).json())
        .with("megabytesReadPerSecondAndNode", samples(all.readMbPerSecond()).json())
        .with("cpuSecondsPerSecondAndNode", samples(all.cpuPerSecond()).json()).print();
  }

  private Daemons.Setup setup(Path directory, String scrubSeconds) throws IOException {
    Path file = directory.resolve("scr.conf");
    Path small = Files.createDirectories(directory.resolve("small"));
    Path large = Files.createDirectories(directory.resolve("large"));
    Files.writeString(file, "STORE=" + small + " COUNT=1\nSTORE=" + large + " COUNT=1\n"
        + "CKPT=0 INTERVAL=1 TYPE=XOR STORE=" + small + "\n"
        + "CKPT=1 INTERVAL=" + LARGE_EACH + " TYPE=XOR STORE=" + large + "\n");
    return new Daemons.Setup("FILE", true, options.nodes(), options.nodes(), Map.of("--config", file.toString(),
        "SCR_SCRUB_SECONDS", scrubSeconds, "SCR_SCRUB_BW", READING));
  }

  private void measure(Daemons.Setup setup, Seen seen) throws Exception {
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        PhaseCase.phases(ranks, LARGE_EACH - 1);
        checkpoint(new Checkpoints(ranks, prefix, options.bytes(), 0), new Seen());
        Checkpoints small = new Checkpoints(ranks, prefix, options.bytes() / SMALL_PART, 1);
        checkpoint(small, new Seen());
        if (!setup.settings().get("SCR_SCRUB_SECONDS").equals("0")) {
          Daemons.await(() -> compute(daemons, new Seen()) > READS_MB, "the scrub reads");
        }
        for (int i = 0; i < options.runs(); i++) {
          compute(daemons, seen);
          checkpoint(small, seen);
        }
        ranks.all(scr -> scr.finish());
      }
    }
  }

  private static void checkpoint(Checkpoints checkpoints, Seen seen) throws Exception {
    seen.starts().add(checkpoints.start());
    long begin = System.nanoTime();
    checkpoints.write();
    seen.writes().add((System.nanoTime() - begin) / 1e9);
    seen.completes().add(checkpoints.complete());
  }

  /** Returns what each node has read, in MB/s. */
  private static double compute(Daemons daemons, Seen seen) throws Exception {
    long begin = System.nanoTime();
    double cpu = daemons.cpuSeconds();
    long read = daemons.readBytes();
    Thread.sleep(COMPUTES_MS);                                 // the application computes
    double seconds = (System.nanoTime() - begin) / 1e9 * daemons.all().size();
    double megabytes = (daemons.readBytes() - read) / MILLION / seconds;
    seen.readMbPerSecond().add(megabytes);
    seen.cpuPerSecond().add((daemons.cpuSeconds() - cpu) / seconds);
    return megabytes;
  }

  private static Samples samples(List<Double> values) {
    return new Samples(values.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
