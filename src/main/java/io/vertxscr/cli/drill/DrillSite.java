package io.vertxscr.cli.drill;

import io.vertxscr.cli.launch.Allocation;
import io.vertxscr.cli.launch.Fleet;
import io.vertxscr.cli.launch.Signal;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.JobDirectory;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;

/**
 * Daemons, ranks and directories of a drill, on this machine. All are its own: it starts the processes, makes the
 * directories, and ends and deletes these and nothing else. The daemons are those of {@code scr run}, at pipes that end
 * them however this process ends; so are the ranks.
 */
final class DrillSite implements AutoCloseable {
  /** Leaves room below for a socket: the path of one has at most 107 bytes. */
  private static final int MOST_ROOT_BYTES = 50;
  private static final String MARK = "scr-drill";
  private static final String USER = "drill";
  private static final String JOB = "1";
  /** Variables of ours that concern the JVMs, not the checkpoints. */
  private static final List<String> OF_THE_JVM = List.of("SCR_JAVA_HOME", "SCR_JAVA_OPTIONS", "SCR_VECTOR",
      "SCR_ISAL", "SCR_LOG_LEVEL");

  private final DrillPlan plan;
  private final String program;
  private final BlockingQueue<DrillSignal> signals;
  private final Map<String, String> environment;
  private final Path root;
  private final Path caches;
  private final Path prefix;
  /** Where the prefix directory really is, if it is to hang. */
  private final Optional<Path> shown;
  private final Optional<HangingMount> mount;
  private final Fleet fleet;
  private final List<DrillRanks> ranks = new ArrayList<>();

  /**
   * DrillPlaces of the user.
   *
   * @param caches directory on the storage that is to play the nodes' caches; empty for the temporary one
   * @param prefix directory on the file system that is to play the parallel one; empty for the temporary one
   * @param logs for the daemons' logs, which stay there; empty for none that stay
   */
  record DrillPlaces(Optional<Path> caches, Optional<Path> prefix, Optional<Path> logs) {
    /** @throws ScrException BAD_CONFIGURATION where the first or the second is no directory */
    DrillPlaces {
      Stream.of(caches, prefix).flatMap(Optional::stream).filter(place -> !Files.isDirectory(place)).findFirst()
          .ifPresent(place -> {
            throw new ScrException(Fault.BAD_CONFIGURATION, place + " is not a directory");
          });
    }
  }

  private DrillSite(DrillPlan plan, String program, Map<String, String> environment, Path root, DrillPlaces places,
      BlockingQueue<DrillSignal> signals) throws IOException {
    this.plan = plan;
    this.program = program;
    this.signals = signals;
    this.root = root;
    this.environment = new HashMap<>(environment);
    this.environment.keySet().removeIf(name -> name.startsWith("SCR_") && !OF_THE_JVM.contains(name));
    this.environment.putIfAbsent("SCR_JAVA_HOME", System.getProperty("java.home"));
    this.environment.put("SCR_AOT", "0");                  // nothing is rehearsed that would outlive the drill
    Path kept = Files.createDirectories(places.logs().orElse(root.resolve("logs")));
    caches = places.caches().isPresent() ? own(places.caches().get()) : Files.createDirectory(root.resolve("k"));
    try {
      Path made = places.prefix().isPresent() ? own(places.prefix().get()) : Files.createDirectory(root.resolve("p"));
      shown = plan.strike().hangs() ? Optional.of(made) : Optional.empty();
      prefix = plan.strike().hangs() ? Files.createDirectory(root.resolve("m")) : made;
    } catch (IOException e) {
      Trees.delete(caches);
      throw e;
    }
    int daemons = plan.nodes().size() + plan.spares().size();
    Allocation here = Allocation.read(ResourceManagers.find(this.environment, "", OptionalInt.of(daemons)), "",
        this.environment);
    fleet = new Fleet(here, new Fleet.Setup(program, variables(), Optional.empty(), kept),
        signal -> signals.add(new DrillSignal.OfDaemon(signal, System.nanoTime())));
    try {                                                 // the last thing that may fail: nobody would unmount it
      mount = shown.isPresent() ? Optional.of(HangingMount.of(shown.get(), prefix)) : Optional.empty();
    } catch (IOException | ScrException e) {
      Trees.delete(caches);
      Trees.delete(shown.orElse(prefix));
      throw e;
    }
  }

  /**
   * A site without processes; its directories are there.
   *
   * @param program this program
   * @param signals what daemons and ranks tell from now on
   */
  static DrillSite create(DrillPlan plan, String program, Map<String, String> environment, DrillPlaces places,
      BlockingQueue<DrillSignal> signals) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    Path shortest = Path.of("/tmp");
    boolean tooLong = temporary.toString().length() > MOST_ROOT_BYTES && Files.isWritable(shortest);
    Path root = own(tooLong ? shortest : temporary);
    try {
      return new DrillSite(plan, program, environment, root, places, signals);
    } catch (IOException | ScrException e) {
      Trees.delete(root);
      throw e;
    }
  }

  /** A new directory of the drill in one of somebody else's. */
  private static Path own(Path place) throws IOException {
    return Files.createTempDirectory(place.toRealPath(), MARK);
  }

  private Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>(Map.of(
        "SCR_CNTL_BASE", control().toString(), "SCR_CACHE_BASE", caches.toString(), "SCR_CACHE_SIZE", "1",
        "SCR_COPY_TYPE", plan.scheme().name(), "SCR_FLUSH", "" + plan.flushEvery(), "SCR_FLUSH_ASYNC", "1",
        "SCR_JOB_ID", JOB, "SCR_USER_NAME", USER, "SCR_CLUSTER_NAME", USER, "SCR_PREFIX", prefix.toString()));
    OF_THE_JVM.stream().filter(environment::containsKey).forEach(name -> variables.put(name, environment.get(name)));
    variables.put("SCR_AOT", "0");
    return variables;
  }

  private Path control() {
    return root.resolve("c");
  }

  Fleet fleet() {
    return fleet;
  }

  void hear(Signal signal) {
    fleet.hear(signal);
  }

  /** Starts the ranks of a run on these nodes. */
  void startRanks(int run, List<String> places) {
    DrillRanks started = new DrillRanks(run, signals);
    ranks.add(started);
    for (int rank = 0; rank < places.size(); rank++) {
      started.start(rank, rankCommand(run, rank, fleet.socket(places.get(rank))), environment);
    }
  }

  private List<String> rankCommand(int run, int rank, String socket) {
    List<String> command = new ArrayList<>(List.of(program, "drill-rank", "--socket", socket,
        "--prefix", prefix.toString(), "--rank", "" + rank, "--ranks", "" + plan.work().ranks(),
        "--seed", "" + plan.seed(), "--bytes", "" + plan.work().bytes(), "--every", "" + plan.work().every(),
        "--step-ms", "" + plan.work().stepMs(), "--until", "" + (run == 1 ? Integer.MAX_VALUE : plan.lastStep())));
    if (run > 1) {
      command.add("--restart");
    }
    return command;
  }

  /** Kills daemons and ranks of nodes without warning; all are dead when this returns. */
  void kill(Collection<String> nodes, Collection<Integer> ranksThere) {
    fleet.kill(nodes);
    ranks.getLast().kill(ranksThere);
  }

  /** The daemons of nodes hang from now on; their ranks are killed. */
  void hide(Collection<String> nodes, Collection<Integer> ranksThere) throws IOException {
    fleet.hang(nodes);
    ranks.getLast().kill(ranksThere);
  }

  /** Deletes all that is stored on nodes whose daemons and ranks are dead. */
  void loseStorage(Collection<String> nodes) throws IOException {
    for (String node : nodes) {
      Trees.delete(new JobDirectory(caches, USER, JOB).node(node));
      Trees.delete(new JobDirectory(control(), USER, JOB).node(node));
    }
  }

  /** From now on the prefix directory does not answer, where that is planned. */
  void hangPrefix() throws IOException {
    if (mount.isPresent()) {
      mount.get().hang();
    }
  }

  /** From now on it does again. */
  void prefixGoesOn() throws IOException {
    if (mount.isPresent()) {
      mount.get().goOn();
    }
  }

  /** Ends all processes, then deletes the directories. The data was for the drill alone: nothing is stopped cleanly. */
  @Override
  public void close() throws IOException {
    prefixGoesOn();                                       // nobody ends while it waits for that
    ranks.forEach(DrillRanks::close);
    List<String> all = new ArrayList<>(plan.nodes());
    all.addAll(plan.spares());
    fleet.kill(all);
    if (mount.isPresent()) {
      mount.get().close();
    }
    Trees.delete(caches);
    Trees.delete(shown.orElse(prefix));
    Trees.delete(root);
  }
}
