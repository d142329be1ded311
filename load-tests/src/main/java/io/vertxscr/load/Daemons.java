package io.vertxscr.load;

import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Daemons of one case, with their storage in a directory of the RAM disk that is deleted with them. */
final class Daemons implements AutoCloseable {
  /**
   * The daemons of a case.
   *
   * @param direct whether files of nodes on this host are read by path
   * @param nodes with ranks; rank r is on node r modulo nodes
   * @param settings more variables for the daemons; options, where they begin with two hyphens
   */
  record Setup(String scheme, boolean direct, int nodes, int ranks, Map<String, String> settings) {
    String label() {
      return scheme + "-" + transport();
    }

    /** How nodes read of each other: by path, plain, or encrypted. */
    String transport() {
      return direct ? "direct" : settings.containsKey(TRUSTED) ? "tcp" : "tls";
    }
  }

  private static final String TRUSTED = "--trusted-network";
  /** Settings of daemons that do not encrypt the bytes of datasets. */
  static final Map<String, String> PLAIN = Map.of(TRUSTED, "127.0.0.0/8");
  private static final int SPARE_PORTS = 16;
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final long POLL_MS = 5;
  private static final String USER = "u";
  private static final String JOB = "1";

  private final Setup setup;
  private final Path directory;
  private final List<Integer> ports;
  private final List<String> members;
  private final List<Daemon> daemons = new ArrayList<>();
  private Daemon spare;
  private int started;

  Daemons(Setup setup) throws IOException {
    this.setup = setup;
    this.directory = newDirectory();
    this.ports = LocalPorts.free(setup.nodes() + SPARE_PORTS);
    this.members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
  }

  /** On the RAM disk; {@code load-tests/run} deletes it, too, however it ends. */
  static Path newDirectory() throws IOException {
    return Files.createTempDirectory(Path.of(System.getProperty("scr.work", "/dev/shm")), "");
  }

  /** Starts as many as have ranks, at once. */
  Daemons startAll() throws Exception {
    List<Integer> numbers = Stream.iterate(started, n -> n + 1).limit(setup.nodes()).toList();
    started += setup.nodes();
    ExecutionException failed = null;
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (Future<Daemon> daemon : numbers.stream().map(n -> threads.submit(() -> start(n))).toList()) {
        try {
          daemons.add(daemon.get());
        } catch (ExecutionException e) {
          failed = e;                                          // the others must be ended, too
        }
      }
    }
    if (failed != null) {
      close();
      throw failed;
    }
    return this;
  }

  /** Starts one that has no ranks, but waits to take the place of another. */
  void startSpare() throws IOException, InterruptedException {
    spare = start(started++);
  }

  /** Kills a daemon, destroys its storage, and has the spare take its place. */
  void replace(int node) throws Exception {
    Daemon lost = daemons.set(node, spare);
    spare = null;
    lost.kill();
    delete(directories(lost).cache());
    delete(directories(lost).control());
  }

  /**
   * Deletes all datasets in the caches.
   *
   * @param restart whether the daemons are stopped before, and started again; else they find out by themselves
   */
  void emptyCaches(boolean restart) throws Exception {
    if (!restart) {
      for (Daemon daemon : daemons) {
        try (Stream<Path> entries = Files.list(directories(daemon).cache())) {
          for (Path entry : entries.filter(e -> e.getFileName().toString().startsWith("scr.dataset.")).toList()) {
            delete(entry);
          }
        }
      }
      return;
    }
    daemons.parallelStream().forEach(Daemon::close);
    daemons.clear();
    delete(directory.resolve("c"));
    delete(directory.resolve("d"));
    started = 0;
    startAll();
  }

  private Daemon start(int number) throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>(Map.of("SCR_CNTL_BASE", directory + "/c", "SCR_CACHE_BASE",
        directory + "/d", "SCR_JOB_ID", JOB, "SCR_USER_NAME", USER, "SCR_COPY_TYPE", setup.scheme(), "SCR_FLUSH", "0"));
    List<String> arguments = new ArrayList<>(List.of(
        "--port", "" + ports.get(number % ports.size()), "--members", String.join(",", members)));
    setup.settings().forEach((name, value) -> {
      if (name.startsWith("--")) {
        arguments.addAll(List.of(name, value));
      } else {
        environment.put(name, value);
      }
    });
    if (!setup.direct()) {
      arguments.add("--no-direct-reads");
    }
    return Daemon.start("n" + number, arguments, environment, directory.resolve("log"));
  }

  NodeDirectories directories(Daemon daemon) {
    Path below = Path.of(USER, "scr." + JOB, daemon.name());
    return new NodeDirectories(directory.resolve("d").resolve(below), directory.resolve("c").resolve(below));
  }

  /** The base name of a rank's file. */
  static String file(int rank) {
    return "rank-" + rank + ".dat";
  }

  /** Returns the cached files of a dataset's ranks, by rank. */
  List<Path> cachedFiles(int dataset) {
    return IntStream.range(0, setup.ranks())
        .mapToObj(rank -> NodeDirectories.dataset(directories(daemons.get(rank % setup.nodes())).cache(), dataset)
            .resolve("rank." + rank).resolve(file(rank)))
        .toList();
  }

  /** A directory on the RAM disk beside the daemons' storage, made if it is not there. */
  Path beside(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }

  List<Daemon> all() {
    return daemons;
  }

  Setup setup() {
    return setup;
  }

  Path socketOf(int rank) {
    return daemons.get(rank % setup.nodes()).socket();
  }

  /** CPU time of all together. */
  double cpuSeconds() throws IOException {
    double sum = 0;
    for (Daemon daemon : daemons) {
      sum += daemon.cpuSeconds();
    }
    return sum;
  }

  /** What all together have read of files and sockets. */
  long readBytes() throws IOException {
    long sum = 0;
    for (Daemon daemon : daemons) {
      sum += daemon.readBytes();
    }
    return sum;
  }

  /** The largest of all. */
  long peakRssBytes() throws IOException {
    long most = 0;
    for (Daemon daemon : daemons) {
      most = Math.max(most, daemon.peakRssBytes());
    }
    return most;
  }

  double readySeconds() {
    return daemons.stream().mapToDouble(Daemon::readySeconds).max().orElse(0);
  }

  String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  @Override
  public void close() throws IOException {
    Stream.concat(daemons.stream(), Stream.ofNullable(spare)).parallel().forEach(Daemon::close);
    delete(directory);
  }

  /** Waits for what another process does, which nobody tells us: asks every few milliseconds. */
  static void await(Callable<Boolean> happened, String what) throws Exception {
    long end = System.nanoTime() + PATIENCE_NS;
    while (!happened.call()) {
      if (System.nanoTime() > end) {
        throw new LoadException("this did not happen: " + what);
      }
      Thread.sleep(POLL_MS);                                   // polls what a daemon, another process, writes
    }
  }

  /** Deletes a tree; nothing happens if it is not there. */
  static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
