package io.vertxscr.load;

import com.sun.management.ThreadMXBean;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.ScavengeCopy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Commands that read a prefix directory, as processes. The reads of a fetch from a large map run in this one. The times
 * of a command are given as a whole and without what {@code scr index --help} takes in the same minute, which is the
 * start of a JVM and of the command line.
 */
final class IndexCase {
  private static final int WARM_UP = 2;
  private static final int FILES_PER_DATASET = 100;
  private static final int MEMBERS = 4;
  private static final int LOST = 2;
  private static final double SHORTEST_SECONDS = 0.001;        // the starts of JVMs differ by more than that

  private final Options options;

  /** A command, measured. */
  private record Command(Samples seconds, Samples startUp, long peakRssBytes) {
    double afterStartUp() {
      return Math.max(SHORTEST_SECONDS, seconds.median() - startUp.median());
    }
  }

  /** Preparation before each run, not timed. */
  private interface Preparation {
    void run() throws Exception;
  }

  IndexCase(Options options) {
    this.options = options;
  }

  void run() throws Exception {
    if (options.wants("list")) {
      list();
    }
    if (options.wants("rebuild") || options.wants("verify")) {
      scavenged();
    }
    if (Stream.of("large-own-parts", "large-index", "large-explain").anyMatch(options::wants)) {
      large();
    }
  }

  private void list() throws Exception {
    int datasets = Math.max(1, options.files() / FILES_PER_DATASET);
    try (Place place = new Place()) {
      var prefix = new GeneratedPrefix(place.directory.resolve("prefix"));
      prefix.index(datasets);
      String name = prefix.paths().prefix().toString();
      Command command = measure(place, () -> { }, "index", "--list", "--prefix", name);
      result("list", command, 0).with("datasets", datasets)
          .with("indexBytes", Files.size(prefix.paths().index())).print();
    }
  }

  /** Writes a protected checkpoint by daemons that are then killed. Scavenges it without one member, and adds it. */
  private void scavenged() throws Exception {
    Daemons.Setup setup = new Daemons.Setup("XOR", true, MEMBERS, MEMBERS, Map.of());
    try (Daemons daemons = new Daemons(setup).startAll(); Place place = new Place()) {
      Path prefix = Files.createDirectories(place.directory.resolve("prefix"));
      int id;
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        Checkpoints checkpoints = new Checkpoints(ranks, prefix, options.bytes(), 0);
        checkpoints.start();
        checkpoints.write();
        checkpoints.complete();
        id = checkpoints.dataset();
        for (Daemon daemon : daemons.all()) {
          daemon.kill();                                  // before they could do it by themselves
        }
      }
      List<Path> cached = daemons.cachedFiles(id);
      Path control = daemons.directories(daemons.all().getFirst()).control().getParent();
      Preparation scavenge = () -> scavenge(control, cached.get(LOST), new PrefixPaths(prefix), id);
      String name = prefix.toString();
      if (options.wants("rebuild")) {
        Command add = measure(place, scavenge, "index", "--add", Integer.toString(id), "--prefix", name);
        double copy = Reference.copied(List.of(cached.get(LOST)), place.directory.resolve("copies"), true);
        result("rebuild", add, options.bytes()).with("scheme", "XOR").with("members", MEMBERS)
            .with("cpSyncBytesPerSecond", (double) Math.round(copy)).print();
      } else {
        scavenge.run();
        ScrCommand.run(place.output(), "index", "--add", Integer.toString(id), "--prefix", name);
      }
      if (options.wants("verify")) {
        List<Path> files = published(prefix);
        double[] rates = new double[options.runs()];
        for (int run = 0; run < rates.length; run++) {
          rates[run] = readRate(files);
        }
        Command verify = measure(place, () -> { }, "index", "--verify", "--prefix", name);
        long bytes = options.bytes() * MEMBERS;
        double rate = new Samples(rates).median();
        result("verify", verify, bytes).with("catBytesPerSecond", (double) Math.round(rate))
            .with("timesCat", bytes / verify.afterStartUp() / rate).print();
      }
    }
  }

  /** Copies all but one member's data to an empty prefix directory. */
  private static void scavenge(Path control, Path lost, PrefixPaths paths, int id) throws IOException {
    Daemons.delete(paths.prefix());
    Files.createDirectories(paths.prefix());
    for (NodeCache node : NodeCache.ofJob(control)) {
      if (!lost.toString().contains("/" + node.node() + "/")) {
        new ScavengeCopy(node, id, paths).run();
      }
    }
  }

  private static List<Path> published(Path prefix) throws IOException {
    try (Stream<Path> files = Files.walk(prefix)) {
      return files.filter(file -> file.toString().endsWith(".dat")).toList();
    }
  }

  /** Of {@code cat} to nowhere, in bytes a second. */
  private static double readRate(List<Path> files) throws Exception {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    List<String> command = Stream.concat(Stream.of("sh", "-c", "cat -- \"$@\" > /dev/null", "sh"),
        files.stream().map(Path::toString)).toList();
    long begin = System.nanoTime();
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new LoadException("cat of " + files + " failed");
    }
    return bytes / ((System.nanoTime() - begin) / 1e9);
  }

  private void large() throws Exception {
    try (Place place = new Place()) {
      var prefix = new GeneratedPrefix(place.directory.resolve("prefix"));
      prefix.dataset(1, options.files());
      String name = prefix.paths().prefix().toString();
      long mapBytes = mapBytes(prefix.paths().dataset(1));
      if (options.wants("large-own-parts")) {
        ownParts(prefix.paths(), mapBytes);
      }
      for (String[] arguments : List.of(
          new String[] {"index", "--list", "--prefix", name},
          new String[] {"explain", "--prefix", name, "--control", place.directory.toString(), "timestep.1"})) {
        if (options.wants("large-" + arguments[0])) {
          Command command = measure(place, () -> { }, arguments);
          result("large-" + arguments[0], command, 0).with("files", options.files()).with("mapBytes", mapBytes).print();
        }
      }
    }
  }

  /** Reads of a node's fetch for one rank in the middle, by the class that it uses. */
  private void ownParts(PrefixPaths paths, long mapBytes) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    double[] seconds = new double[options.runs()];
    long allocated = 0;
    long read = 0;
    for (int run = -WARM_UP; run < options.runs(); run++) {
      long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
      long readBefore = bytesRead();
      long begin = System.nanoTime();
      var map = new RankMapReader(paths, 1);
      List<RankEntry> own = map.entries(List.of(map.ranks() / 2));
      double took = (System.nanoTime() - begin) / 1e9;
      allocated = threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
      read = bytesRead() - readBefore;
      if (own.getFirst().rank() != map.ranks() / 2) {
        throw new LoadException("the map gave rank " + own.getFirst().rank());
      }
      seconds[Math.max(run, 0)] = took;
    }
    new Result("index", "large-own-parts").with("files", options.files()).with("mapBytes", mapBytes)
        .with("bytesRead", read).with("allocatedBytes", allocated).with("seconds", new Samples(seconds).json()).print();
  }

  /** Bytes read by this process so far, by all its calls. */
  private static long bytesRead() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream().filter(line -> line.startsWith("rchar:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElseThrow();
  }

  private static long mapBytes(Path dataset) throws IOException {
    try (Stream<Path> files = Files.list(dataset)) {
      long bytes = 0;
      for (Path file : files.filter(f -> f.getFileName().toString().startsWith("rank2file")).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  private Command measure(Place place, Preparation before, String... arguments) throws Exception {
    double[] seconds = new double[options.runs()];
    double[] startUp = new double[options.runs()];
    long peak = 0;
    for (int run = -1; run < options.runs(); run++) {
      before.run();
      double started = ScrCommand.run(place.output(), "index", "--help").seconds();
      ScrCommand.Ended ended = ScrCommand.run(place.output(), arguments);
      startUp[Math.max(run, 0)] = started;
      seconds[Math.max(run, 0)] = ended.seconds();
      peak = Math.max(peak, ended.peakRssBytes());
    }
    return new Command(new Samples(seconds), new Samples(startUp), peak);
  }

  private static Result result(String command, Command measured, long bytes) {
    Result result = new Result("index", command).with("seconds", measured.seconds.json())
        .with("startUpSeconds", measured.startUp.json()).with("afterStartUpSeconds", measured.afterStartUp())
        .with("peakRssBytes", measured.peakRssBytes);
    return bytes == 0 ? result : result.with("bytes", bytes)
        .with("bytesPerSecond", (double) Math.round(bytes / measured.seconds.median()))
        .with("afterStartUpBytesPerSecond", (double) Math.round(bytes / measured.afterStartUp()));
  }

  /** A directory on the RAM disk that is deleted in the end. */
  private static final class Place implements AutoCloseable {
    final Path directory = Daemons.newDirectory();

    Place() throws IOException {}

    Path output() {
      return directory.resolve("output");
    }

    @Override
    public void close() throws IOException {
      Daemons.delete(directory);
    }
  }
}
