package io.vertxscr.load;

import io.vertx.core.Vertx;
import io.vertxscr.client.ScrClient;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.protocol.app.InitRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

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
      new Large(options).run();
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

  /**
   * A restart of very many ranks, from a container with very many small files. All nodes are in this process, each with
   * its own caches on the RAM disk. Ranks are sessions without threads. Once, from the first rank's init to the last
   * answer.
   */
  private static final class Large {
    private static final long PATIENCE_S = 600;

    private final Options options;

    Large(Options options) {
      this.options = options;
    }

    void run() throws Exception {
      Path directory = Daemons.newDirectory();
      Vertx vertx = Vertx.vertx();
      try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings(directory), true)) {
        var prefix = new GeneratedPrefix(directory.resolve("prefix"));
        prefix.dataset(1, options.files());
        IntStream.range(0, options.nodes()).forEach(number -> cluster.start("n" + number));
        measure(cluster, prefix.paths().prefix().toString());
      } finally {
        vertx.close().await();
        Daemons.delete(directory);
      }
    }

    private static Settings settings(Path directory) {
      return Settings.load(Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE", directory + "/d",
          "SCR_JOB_ID", "1", "SCR_USER_NAME", "u", "SCR_COPY_TYPE", "SINGLE", "SCR_FLUSH", "0"), Optional.empty());
    }

    private void measure(EmbeddedCluster cluster, String prefix) throws Exception {
      int ranks = GeneratedPrefix.ranks(options.files());
      // init is answered when all have called it, and a client has no more calls in flight than that
      List<ScrClient> clients = IntStream.rangeClosed(0, ranks / Limits.MAX_CALLS_IN_FLIGHT + options.nodes())
          .mapToObj(client -> cluster.client("n" + client % options.nodes())).toList();
      long begin = System.nanoTime();
      CompletableFuture.allOf(IntStream.range(0, ranks).mapToObj(rank -> clients.get(rank % clients.size())
          .init(new InitRequest(rank, ranks, prefix, "load"))).toArray(CompletableFuture[]::new))
          .get(PATIENCE_S, TimeUnit.SECONDS);
      double seconds = (System.nanoTime() - begin) / 1e9;
      List<RankFiles> fetched = IntStream.range(0, options.nodes())
          .mapToObj(n -> cluster.node("n" + n).ground().store().find(1).orElseThrow())
          .flatMap(record -> record.ranks().stream()).map(rank -> rank.files()).toList();
      long files = fetched.stream().mapToLong(rank -> rank.files().size()).sum();
      if (fetched.size() != ranks || files != options.files()) {
        throw new LoadException(fetched.size() + " ranks have " + files + " files");
      }
      clients.forEach(ScrClient::close);
      long bytes = fetched.stream().mapToLong(RankFiles::bytes).sum();
      new Result("fetch", "large").with("nodes", options.nodes()).with("ranks", ranks).with("files", files)
          .with("bytes", bytes).with("initSeconds", seconds)
          .with("filesPerSecond", (double) Math.round(files / seconds))
          .with("maxHeapBytes", Runtime.getRuntime().maxMemory())
          .with("peakRssBytes", Daemon.peakRssBytes(Path.of("/proc/self/status"))).print();
    }
  }
}
