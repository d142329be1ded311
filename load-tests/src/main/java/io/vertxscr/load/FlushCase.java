package io.vertxscr.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Synchronous flush: complete-output of a dataset without redundancy, flushed before the answer. Background flush:
 * complete-output of a protected dataset that is flushed after it, against the same without any flush. Compressed:
 * synchronous, with {@code COMPRESS=ZSTD}.
 */
final class FlushCase {
  private static final int WARM_UP = 3;
  private static final long CAP_BYTES_PER_SECOND = 100_000_000;
  private static final long CAPPED_SECONDS = 8;
  private static final int CAPPED_NODES = 4;
  private static final long WINDOW_NS = 2_000_000_000;
  /** Messages and metadata are less: with these a flush has begun, and but for these it has ended. */
  private static final long NOTHING_BYTES = 2 << 20;
  private static final Map<String, String> SYNCHRONOUS = Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0");
  private static final Map<String, String> BACKGROUND = Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "1");

  private static final String COMPRESSED = "compressed";

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
    compressed();
    for (int nodes : List.of(1, CAPPED_NODES)) {
      if (options.wants("capped-" + nodes)) {
        capped(nodes);
      }
    }
  }

  /** The synchronous flush again, of numbers, compressed on their way. */
  private void compressed() throws Exception {
    Path file = Daemons.newDirectory().resolve("scr.conf");
    try {
      Files.writeString(file, "CKPT=0 INTERVAL=1 TYPE=SINGLE COMPRESS=ZSTD\n");
      Map<String, String> settings = new HashMap<>(SYNCHRONOUS);
      settings.put("--config", file.toString());
      settings.put("SCR_COPY_TYPE", "FILE");
      measure("SINGLE", COMPRESSED, "ram", settings);
    } finally {
      Files.delete(file);
    }
  }

  /** A background flush that may take so many bytes a second: what it takes in every two seconds. */
  private void capped(int nodes) throws Exception {
    Map<String, String> settings = new HashMap<>(BACKGROUND);
    settings.put("SCR_FLUSH_ASYNC_BW", "" + CAP_BYTES_PER_SECOND);
    Daemons.Setup setup = new Daemons.Setup("SINGLE", true, nodes, nodes, settings);
    long bytes = CAP_BYTES_PER_SECOND * CAPPED_SECONDS;
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = Files.createDirectories(daemons.beside("parallel").resolve("prefix"));
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        Checkpoints checkpoints = new Checkpoints(ranks, prefix, bytes / nodes, 0);
        checkpoints.start();
        checkpoints.write();
        checkpoints.complete();
        TreeMap<Long, Long> written = written(daemons, summary(prefix, checkpoints.dataset()));
        ranks.all(scr -> scr.finish());
        double[] shares = shares(written);
        new Result("flush", setup, bytes).with("flush", "capped").with("bytesPerSecondAllowed", CAP_BYTES_PER_SECOND)
            .with("overAnySeconds", WINDOW_NS / 1e9).with("lowestShare", shares[0]).with("highestShare", shares[1])
            .print();
      }
    }
  }

  /** By time in ns, what the daemons have written until then; to the end of the flush. */
  private static TreeMap<Long, Long> written(Daemons daemons, Path summary) throws Exception {
    TreeMap<Long, Long> written = new TreeMap<>();
    Daemons.await(() -> {
      long sum = 0;
      for (Daemon daemon : daemons.all()) {
        sum += daemon.writtenBytes();
      }
      written.put(System.nanoTime(), sum);
      return Files.exists(summary);
    }, summary.toString());
    return written;
  }

  /** Returns the minimum and maximum share of the allowed rate in any window, from first to last byte. */
  private static double[] shares(TreeMap<Long, Long> written) {
    double[] shares = {Double.MAX_VALUE, 0};
    long begin = written.firstEntry().getValue() + NOTHING_BYTES;
    long end = written.lastEntry().getValue() - NOTHING_BYTES;
    long first = written.keySet().stream().filter(ns -> written.get(ns) >= begin).findFirst().orElseThrow();
    long last = written.keySet().stream().filter(ns -> written.get(ns) >= end).findFirst().orElseThrow();
    if (last - first < 2 * WINDOW_NS) {
      throw new LoadException("the flush took " + (last - first) / 1_000_000 + " ms, too short to be looked at");
    }
    for (long from : written.subMap(first, last - WINDOW_NS).keySet()) {
      long bytes = at(written, from + WINDOW_NS) - written.get(from);
      double share = bytes / (CAP_BYTES_PER_SECOND * (WINDOW_NS / 1e9));
      shares[0] = Math.min(shares[0], share);
      shares[1] = Math.max(shares[1], share);
    }
    return shares;
  }

  /** Between two samples, in proportion. */
  private static long at(TreeMap<Long, Long> written, long ns) {
    Map.Entry<Long, Long> before = written.floorEntry(ns);
    Map.Entry<Long, Long> after = written.ceilingEntry(ns);
    if (before.getKey().equals(after.getKey())) {
      return before.getValue();
    }
    double part = (double) (ns - before.getKey()) / (after.getKey() - before.getKey());
    return before.getValue() + Math.round(part * (after.getValue() - before.getValue()));
  }

  private static Path summary(Path prefix, int dataset) {
    return prefix.resolve(".scr/scr.dataset." + dataset + "/summary.scr");
  }

  private void measure(String scheme, String flush, String target, Map<String, String> settings) throws Exception {
    if (!options.wants(flush + "-" + target)) {
      return;
    }
    Daemons.Setup setup = new Daemons.Setup(scheme, true, options.nodes(), options.nodes(), settings);
    double[] seconds = new double[options.runs()];
    double[] cpu = new double[options.runs()];
    double[] copy = new double[options.runs()];
    long stored = 0;
    Reference reference = new Reference();
    try (Daemons daemons = new Daemons(setup)) {
      Path place = target.equals("ram") ? daemons.beside("parallel") : options.newDirectory();
      try (var _ = new Deleted(place)) {
        daemons.startAll();
        Path prefix = Files.createDirectories(place.resolve("prefix"));
        try (Ranks ranks = Ranks.open(daemons, prefix)) {
          Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0);
          if (flush.equals(COMPRESSED)) {
            checkpoints.ofField();
          }
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
            stored = bytesIn(prefix.resolve("ckpt." + checkpoints.step()));
            Daemons.delete(prefix.resolve("ckpt." + checkpoints.step()));
          }
          ranks.all(scr -> scr.finish());
        }
        long bytes = options.bytes() * setup.ranks();
        double median = new Samples(seconds).median();
        new Result("flush", setup, bytes).with("flush", flush).with("target", target).seconds(new Samples(seconds))
            .cost(new Samples(cpu), daemons.peakRssBytes()).with("storedShare", (double) stored / bytes)
            .with("reference", reference.json())
            .with("cpSyncBytesPerSecond", (double) Math.round(new Samples(copy).median()))
            .with("timesCpSync", bytes / median / new Samples(copy).median()).print();
      }
    }
  }

  /** 0 where it is not there. */
  private static long bytesIn(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      long bytes = 0;
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  /** The summary is written last but for the index. */
  private static void awaitFlushed(Path prefix, int dataset) throws Exception {
    Path summary = summary(prefix, dataset);
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
