package io.vertxscr.demo;

import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatMain;
import io.vertxscr.examples.heat.HeatOptions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Nodes and ranks as processes. The daemons form a Hazelcast cluster on loopback, each rank uses its daemon's Unix
 * socket. Closing ends all of them, also from a shutdown hook while another thread starts more.
 */
public final class ProcessDemoCluster implements DemoCluster {
  private static final String HOST = "127.0.0.1";
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1";
  private static final long START_S = 120;

  private final Layout layout;
  private final DemoStorage storage;
  private final Map<String, Integer> ports;
  private final RankLauncher launcher;
  private final SortedMap<String, Daemon> daemons = new TreeMap<>();
  private final List<RankLauncher.Running> ranks = new ArrayList<>();
  private boolean closed;

  /**
   * Paths of the demo.
   *
   * @param home of this program, with bin/scr
   * @param prefix prefix directory of the runs
   * @param logs directory for the daemons' logs
   */
  public record Layout(Path home, Path prefix, Path logs) {}

  private ProcessDemoCluster(Layout layout, DemoStorage storage, Map<String, Integer> ports) {
    this.layout = layout;
    this.storage = storage;
    this.ports = ports;
    List<String> command = List.of(java().resolve("bin/java").toString(), "-XX:+UseSerialGC",
        QUICK_START, "-Xmx64m", "--sun-misc-unsafe-memory-access=allow",
        "-cp", System.getProperty("java.class.path"), HeatMain.class.getName());
    launcher = new ProcessLauncher(command, node -> storage.of(node).socket(), layout.prefix());
  }

  /** A cluster without nodes. */
  public static ProcessDemoCluster create(Layout layout, DemoPlan plan, Scheme scheme, int flushEvery)
      throws IOException {
    Files.createDirectories(layout.logs());
    return new ProcessDemoCluster(layout, DemoStorage.create(plan, scheme, flushEvery),
        freePorts(Set.copyOf(plan.allNodes())));
  }

  private static Path java() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Map<String, Integer> freePorts(Set<String> names) throws IOException {
    Iterator<Integer> free = LocalPorts.free(names.size()).iterator();
    return names.stream().collect(Collectors.toMap(name -> name, _ -> free.next()));
  }

  @Override
  public void startNodes(List<String> names) {
    names.forEach(this::startNode);
    Map<String, Daemon> all;
    synchronized (this) {
      all = Map.copyOf(daemons);
    }
    long endNanos = System.nanoTime() + START_S * 1_000_000_000;
    all.values().forEach(daemon -> daemon.awaitMembers(new TreeSet<>(all.keySet()), endNanos));
  }

  private synchronized void startNode(String name) {
    checkOpen();
    Map<String, String> environment = new HashMap<>(storage.environment());
    environment.put("SCR_JAVA_HOME", java().toString());
    // Five JVMs start on few cores, for a minute: two thirds of the CPU time until a node is ready.
    environment.put("SCR_JAVA_OPTIONS", (QUICK_START + " " + System.getenv().getOrDefault("SCR_JAVA_OPTIONS", ""))
        .strip());
    String members = String.join(",", ports.values().stream().map(port -> HOST + ":" + port).toList());
    List<String> command = List.of(layout.home().resolve("bin/scr").toString(), "node", "--name", name,
        "--host", HOST, "--port", "" + ports.get(name), "--members", members,
        "--secret-file", storage.secretFile().toString());
    Path log = layout.logs().resolve(name + ".log");
    daemons.put(name, Daemon.start(name, storage.of(name).socket(), log, command, environment));
  }

  @Override
  public void killNode(String node) {
    Daemon daemon;
    synchronized (this) {
      daemon = daemons.remove(node);
    }
    daemon.kill();
    storage.lose(node);
  }

  @Override
  public RankLauncher ranks() {
    return this::launch;
  }

  private synchronized RankLauncher.Running launch(HeatOptions options, Optional<String> node,
      Consumer<HeatEvent> listener) {
    checkOpen();
    RankLauncher.Running rank = launcher.launch(options, node, listener);
    ranks.add(rank);
    return rank;
  }

  private void checkOpen() {
    if (closed) {
      throw new ScrException(Fault.STOPPING, "the demo is being stopped");
    }
  }

  @Override
  public Path prefix() {
    return layout.prefix();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (storage) {
      ranks.forEach(RankLauncher.Running::kill);
      daemons.values().forEach(Daemon::terminate);
      daemons.values().forEach(Daemon::awaitEnd);
    }
  }
}
