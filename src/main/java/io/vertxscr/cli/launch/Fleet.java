package io.vertxscr.cli.launch;

import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.launch.Agreement;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The daemons of a job, and which nodes are down. Once down, a node stays so, unless it is {@link #revivable}. To be
 * used by one thread; events of the daemons go to the listener, and come back by {@link #hear}.
 */
public final class Fleet {
  /** What bin/scr and the log read before the daemon reads its pipe. All others are on no command line. */
  private static final Set<String> OF_THE_SCRIPT = Set.of("SCR_JAVA_HOME", "SCR_JAVA_OPTIONS", "SCR_VECTOR", "SCR_ISAL",
      "SCR_AOT", "SCR_COPY_TYPE", "SCR_CONF_FILE", "SCR_PREFIX", "SCR_LOG_LEVEL", "SCR_LOG_LEVEL_CLUSTER");
  /** More than a clean stop of a daemon takes. */
  private static final long STOP_S = 45;
  private static final int SECRET_BYTES = 32;
  /** The port of a job on all hosts: below those that systems hand out by themselves. */
  private static final int FIRST_PORT = 10_000;
  private static final int PORTS = 20_000;

  private final Allocation allocation;
  private final Setup setup;
  private final Consumer<Signal> listener;
  private final Map<String, Integer> ports;
  private final byte[] secret = new byte[SECRET_BYTES];
  private final Map<String, AttachedDaemon> daemons = new LinkedHashMap<>();
  private final Map<String, String> sockets = new HashMap<>();
  private final Map<String, Set<String>> seenBy = new HashMap<>();
  private final Map<String, String> down = new TreeMap<>();
  private final Set<String> lostDaemons = new TreeSet<>();
  private final Set<String> hanging = new TreeSet<>();

  /**
   * Start parameters of the daemons.
   *
   * @param program this program, on every host
   * @param variables SCR_* of the daemons
   * @param port of all daemons; empty to choose: one for all hosts, by user and job, or one each on one machine
   * @param logs directory of the logs
   */
  public record Setup(String program, Map<String, String> variables, Optional<Integer> port, Path logs) {
    private static final int LARGEST_PORT = 65_535;

    /** @throws ScrException BAD_CONFIGURATION for a port that is none */
    public Setup {
      if (port.filter(number -> number < 1 || number > LARGEST_PORT).isPresent()) {
        throw new ScrException(Fault.BAD_CONFIGURATION,
            "--port " + port.get() + ": a port is a number from 1 to " + LARGEST_PORT);
      }
      logs = logs.toAbsolutePath();
    }

    /** Makes the directory of the logs. @throws ScrException IO */
    void makeLogs() {
      try {
        Files.createDirectories(logs);
      } catch (IOException e) {
        throw new ScrException(Fault.IO, "the directory for the logs, " + logs + ", cannot be made: "
            + ScrException.reason(e), e);
      }
    }
  }

  public Fleet(Allocation allocation, Setup setup, Consumer<Signal> listener) {
    this.allocation = allocation;
    this.setup = setup;
    this.listener = listener;
    this.ports = allocation.isHere() ? freePorts(allocation.names()) : samePort();
    new SecureRandom().nextBytes(secret);
  }

  private Map<String, Integer> samePort() {
    String job = setup.variables().get("SCR_USER_NAME") + "/" + setup.variables().get("SCR_JOB_ID");
    int port = setup.port().orElse(FIRST_PORT + Math.floorMod(job.hashCode(), PORTS));
    Map<String, Integer> same = new HashMap<>();
    allocation.names().forEach(node -> same.put(node, port));
    return same;
  }

  private static Map<String, Integer> freePorts(List<String> names) {
    try {
      List<Integer> free = LocalPorts.free(names.size());
      Map<String, Integer> ports = new HashMap<>();
      for (int i = 0; i < names.size(); i++) {
        ports.put(names.get(i), free.get(i));
      }
      return ports;
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "no free ports: " + ScrException.reason(e), e);
    }
  }

  /** Starts daemons without waiting. */
  public void start(Collection<String> nodes) {
    List<String> members = new ArrayList<>();
    for (String node : allocation.names()) {
      members.add((allocation.isHere() ? "127.0.0.1" : node) + ":" + ports.get(node));
    }
    Map<String, String> hidden = new TreeMap<>(setup.variables());
    Map<String, String> shown = new TreeMap<>(setup.variables());
    shown.keySet().retainAll(OF_THE_SCRIPT);
    hidden.keySet().removeAll(OF_THE_SCRIPT);
    String header = Attachment.header(secret, members, hidden);
    for (String node : nodes) {
      down.remove(node);
      lostDaemons.remove(node);
      List<String> command = allocation.on(node, shown, List.of(setup.program(), "node", "--attached",
          "--name", node, "--port", ports.get(node).toString()));
      Path log = setup.logs().resolve(node + ".log");
      daemons.put(node, AttachedDaemon.start(
          new AttachedDaemon.DaemonStart(node, command, allocation.environment(), header, log), listener));
    }
  }

  /** Handles an event of a daemon, or its end. */
  public void hear(Signal signal) {
    switch (signal) {
      case Signal.Ready(String node, String socket) -> sockets.put(node, socket);
      case Signal.Pong(String node, Set<String> members) -> seenBy.put(node, members);
      case Signal.Gone(AttachedDaemon daemon, String how) -> {
        if (daemons.get(daemon.node()) == daemon) {
          lostDaemons.add(daemon.node());
          leaveOut(daemon.node(), "its daemon " + how);
        }
      }
      case Signal.Happened _, Signal.Answered _, Signal.Ended _, Signal.Stop _ -> { }
    }
  }

  /** A node is down: its daemon, if it has one, is let go. */
  void leaveOut(String node, String why) {
    if (down.putIfAbsent(node, why) == null && daemons.containsKey(node)) {
      daemons.get(node).release();
    }
    sockets.remove(node);
  }

  /** Excludes the node permanently: no daemon is started there again. */
  void exclude(String node, String why) {
    leaveOut(node, why);
    lostDaemons.remove(node);
  }

  /** Nodes with a daemon that are not down, and do not {@link #hang}, in the order of the allocation. */
  public List<String> up() {
    return allocation.names().stream()
        .filter(node -> daemons.containsKey(node) && !down.containsKey(node) && !hanging.contains(node)).toList();
  }

  /** Why nodes are down, by node. */
  public Map<String, String> down() {
    return Map.copyOf(down);
  }

  /** Nodes that have lost only their daemon, as far as is known. */
  Set<String> revivable() {
    return Set.copyOf(lostDaemons);
  }

  /** The socket of a node that is up and {@link #isServing}. */
  public String socket(String node) {
    return sockets.get(node);
  }

  /** Whether all that are up have said that they are ready. */
  public boolean isServing() {
    return sockets.keySet().containsAll(up());
  }

  /** Nodes that are up and have not said that they are ready. */
  List<String> silent() {
    return up().stream().filter(node -> !sockets.containsKey(node)).toList();
  }

  /** Asks all that are up; older answers do not count. */
  public void ping() {
    seenBy.clear();
    up().forEach(node -> daemons.get(node).ping());
  }

  /** Tells all daemons that a signal from outside has ended the program, or will. */
  void endedFromOutside() {
    up().forEach(node -> daemons.get(node).endedFromOutside());
  }

  /** Whether all that are up have answered since the last {@link #ping}. */
  boolean haveAnswered() {
    return seenBy.keySet().containsAll(up());
  }

  /** Whether all that are up have answered since the last {@link #ping}, and form one cluster. */
  public boolean agrees() {
    return Agreement.isComplete(Set.copyOf(up()), seenBy);
  }

  /** Nodes that have answered, but are not in the majority's cluster, with the reason. */
  public Map<String, String> strays() {
    Set<String> together = Agreement.together(seenBy);
    Map<String, String> strays = new TreeMap<>();
    for (String node : up()) {
      if (seenBy.containsKey(node) && !together.contains(node)) {
        strays.put(node, "its daemon sees " + new TreeSet<>(seenBy.get(node)) + ", the others see " + together);
      }
    }
    return strays;
  }

  /** Restarts the daemons of these nodes, so that they look for the others again (after a split brain). */
  public void restart(Collection<String> nodes) throws InterruptedException {
    nodes.forEach(node -> daemons.get(node).release());
    awaitEnds(nodes.stream().map(daemons::get).toList());
    sockets.keySet().removeAll(nodes);
    start(nodes);
  }

  /** Excludes nodes that have not answered, or are not in the majority's cluster. */
  void separate() {
    Map<String, String> strays = strays();
    up().stream().filter(node -> !seenBy.containsKey(node))
        .forEach(node -> leaveOut(node, "its daemon does not answer"));
    strays.forEach(this::leaveOut);
  }

  /** Kills the daemons of these nodes of this machine without warning. They are dead when this returns. */
  public void kill(Collection<String> nodes) {
    nodes.stream().filter(daemons::containsKey).toList().forEach(node -> daemons.get(node).kill());
  }

  /** The daemons of these nodes of this machine hang from now on. */
  public void hang(Collection<String> nodes) throws IOException {
    hanging.addAll(nodes);
    for (String node : nodes) {
      daemons.get(node).hang();
    }
  }

  /** They go on, and are up again. */
  public void goOn(Collection<String> nodes) throws IOException {
    for (String node : nodes) {
      daemons.get(node).goOn();
    }
    hanging.removeAll(nodes);
  }

  /** Stops all daemons and waits for their end. */
  public void stop() throws InterruptedException {
    daemons.values().forEach(AttachedDaemon::release);
    awaitEnds(daemons.values());
  }

  private static void awaitEnds(Collection<AttachedDaemon> ending) throws InterruptedException {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_S);
    for (AttachedDaemon daemon : ending) {
      daemon.awaitEnd(endNanos);
    }
  }
}
