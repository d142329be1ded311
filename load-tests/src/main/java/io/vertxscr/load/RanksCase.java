package io.vertxscr.load;

import io.vertx.core.Vertx;
import io.vertxscr.client.Phase;
import io.vertxscr.client.ScrClient;
import io.vertxscr.client.Session;
import io.vertxscr.config.Settings;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.node.NodeVerb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Many nodes and very many ranks in this process. Phases without files, and their messages to the leader. Ranks are
 * sessions without threads; those of a node share one client, whose calls in flight they just fill.
 */
final class RanksCase {
  static final int NODES = 64;
  private static final int WARM_UP = 2;
  private static final long PATIENCE_S = 600;
  /** All that may be asked of the first node, which leads. */
  private static final Set<String> LEADER =
      Stream.of(NodeVerb.values()).map(verb -> verb.address(node(0))).collect(Collectors.toSet());

  private final Options options;
  private final boolean withFiles;
  private final LongAdder messages = new LongAdder();

  /** @param withFiles whether each rank writes one, while the clock stands still */
  RanksCase(Options options, boolean withFiles) {
    this.options = options;
    this.withFiles = withFiles;
  }

  private static String node(int number) {
    return "n" + number;
  }

  void run(Daemons.Setup setup) throws Exception {
    Path directory = Daemons.newDirectory();
    Vertx vertx = Vertx.vertx();
    try (EmbeddedCluster cluster = new EmbeddedCluster(vertx, settings(directory, setup.scheme()), true)) {
      vertx.eventBus().addOutboundInterceptor(sent -> {
        if (LEADER.contains(sent.message().address())) {
          messages.increment();
        }
        sent.next();
      });
      IntStream.range(0, setup.nodes()).forEach(number -> cluster.start(node(number)));
      measure(cluster, setup, Files.createDirectory(directory.resolve("prefix")));
    } finally {
      vertx.close().await();
      Daemons.delete(directory);
    }
  }

  private static Settings settings(Path directory, String scheme) {
    return Settings.load(Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE", directory + "/d",
        "SCR_JOB_ID", "1", "SCR_USER_NAME", "u", "SCR_COPY_TYPE", scheme, "SCR_FLUSH", "0"), Optional.empty());
  }

  private void measure(EmbeddedCluster cluster, Daemons.Setup setup, Path prefix) throws Exception {
    List<ScrClient> clients = IntStream.range(0, setup.nodes()).mapToObj(n -> cluster.client(node(n))).toList();
    long begin = System.nanoTime();
    List<Session> ranks = all(IntStream.range(0, setup.ranks()).boxed().toList(), rank ->
        clients.get(rank % setup.nodes()).init(new InitRequest(rank, setup.ranks(), prefix.toString(), "load")));
    double initSeconds = (System.nanoTime() - begin) / 1e9;
    for (int i = 0; i < WARM_UP; i++) {
      phase(ranks, prefix);
    }
    int phases = options.runs();
    double[] seconds = new double[phases];
    long before = messages.sum();
    for (int i = 0; i < phases; i++) {
      seconds[i] = phase(ranks, prefix);
    }
    double perPhase = (messages.sum() - before) / (double) phases;
    begin = System.nanoTime();
    all(ranks, Session::finish);
    double finishSeconds = (System.nanoTime() - begin) / 1e9;
    clients.forEach(ScrClient::close);
    new Result("phase-in-one-process" + (withFiles ? "-with-files" : ""), setup, 0).seconds(new Samples(seconds))
        .with("messagesAtLeaderPerPhase", perPhase)
        .with("initSeconds", initSeconds)
        .with("finalizeSeconds", finishSeconds)
        .with("peakRssBytes", Daemon.peakRssBytes(Path.of("/proc/self/status"))).print();
  }

  /** From the first call to the last answer, without the writing of the files. */
  private double phase(List<Session> ranks, Path prefix) throws Exception {
    long begin = System.nanoTime();
    List<Phase> open = all(ranks, rank -> rank.startOutput(Optional.empty(), DatasetFlags.CHECKPOINT));
    long written = withFiles ? write(open, prefix) : 0;
    all(open, phase -> phase.complete(true));
    return (System.nanoTime() - begin - written) / 1e9;
  }

  /** One file of a byte for each rank; the nanoseconds that it took. */
  private static long write(List<Phase> open, Path prefix) throws Exception {
    long begin = System.nanoTime();
    List<Integer> ranks = IntStream.range(0, open.size()).boxed().toList();
    for (Path file : all(ranks, rank -> open.get(rank).route(prefix + "/file." + rank))) {
      Files.write(file, new byte[1]);
    }
    return System.nanoTime() - begin;
  }

  /** Has all do it at once, and waits for the last. */
  private static <A, B> List<B> all(List<A> who, Function<A, CompletableFuture<B>> what) throws Exception {
    List<CompletableFuture<B>> asked = new ArrayList<>(who.size());
    who.forEach(one -> asked.add(what.apply(one)));
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).get(PATIENCE_S, TimeUnit.SECONDS);
    return asked.stream().map(CompletableFuture::join).toList();
  }
}
