package io.vertxscr.system;

import io.vertxscr.cluster.LocalPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Daemons on this host as one cluster, in a directory with a short path. Sockets have at most 107 bytes. Closing it
 * kills all that are left.
 */
final class DaemonCluster implements AutoCloseable {
  private static final Path HOME = Path.of(System.getProperty("scr.home", "."));
  private static final int MOST_AT_ONCE = 8;
  /** What the daemons share that have been given a secret. */
  static final String SECRET = "a secret of this test alone";

  private final Path directory;
  private final Map<String, String> environment;
  private final List<Host> hosts;
  private final List<Integer> ports;
  private boolean withSecret;
  private final SequencedMap<String, DaemonProcess> alive = new LinkedHashMap<>();
  private final List<DaemonProcess> started = new ArrayList<>();

  /** Where a daemon runs. @param enter the command before its own, empty for none */
  record Host(String address, List<String> enter) {
    private static final Host HERE = new Host("127.0.0.1", List.of());
  }

  DaemonCluster(Map<String, String> environment) throws IOException {
    this(environment, Collections.nCopies(MOST_AT_ONCE, Host.HERE));
  }

  /** With a host for each daemon, in the order of their starts. */
  DaemonCluster(Map<String, String> environment, List<Host> hosts) throws IOException {
    this.directory = Files.createTempDirectory("scr");
    this.environment = environment;
    this.hosts = hosts;
    this.ports = LocalPorts.free(hosts.size());
    Files.createDirectories(prefix());
  }

  Path prefix() {
    return directory.resolve("p");
  }

  /** One more, for a test of its own. It goes with the cluster and not before: daemons write to it behind a test. */
  Path newPrefix() throws IOException {
    return Files.createTempDirectory(directory, "p");
  }

  Path directory() {
    return directory;
  }

  /** Returns the live daemons, oldest first. */
  List<DaemonProcess> alive() {
    return List.copyOf(alive.values());
  }

  DaemonProcess daemon(String name) {
    return alive.get(name);
  }

  /** Starts one and waits until it is ready. */
  DaemonProcess start(String name, String... options) throws Exception {
    DaemonProcess daemon = launch(name, directory, Map.of(), options);
    alive.put(name, daemon);
    return daemon.awaitReady();
  }

  /** Starts one without waiting; its place in the order of ages is then known only to the cluster. */
  DaemonProcess startSoon(String name) throws IOException {
    return startSoon(name, Map.of());
  }

  /** The same with variables of its own. */
  DaemonProcess startSoon(String name, Map<String, String> more) throws IOException {
    DaemonProcess daemon = launch(name, directory, more);
    alive.put(name, daemon);
    return daemon;
  }

  /** Returns a port that no live daemon of this cluster has. */
  private int freePort() {
    return ports.stream().filter(port -> started.stream().noneMatch(d -> d.isAlive() && d.port() == port))
        .findFirst().orElseThrow();
  }

  /** A process that is not counted as a member, because it will be refused; its storage is below {@code where}. */
  DaemonProcess startOutsider(String name, Path where, Map<String, String> more, String... options)
      throws IOException {
    return launch(name, where, more, options);
  }

  private DaemonProcess launch(String name, Path where, Map<String, String> more, String... options)
      throws IOException {
    int port = freePort();
    Host host = hosts.get(ports.indexOf(port));
    List<String> command = new ArrayList<>(host.enter());
    command.addAll(List.of(HOME.resolve("bin/scr").toString(), "node", "--name", name, "--host", host.address(),
        "--port", String.valueOf(port), "--members", String.join(",", IntStream.range(0, ports.size())
            .mapToObj(member -> hosts.get(member).address() + ":" + ports.get(member)).toList())));
    if (withSecret || !host.equals(Host.HERE)) {
      command.addAll(List.of("--secret-file", secret().toString()));
    }
    command.addAll(List.of(options));
    Path output = directory.resolve(started.size() + "." + name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
        .redirectOutput(output.toFile());
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(variable -> variable.startsWith("SCR_"));
    variables.putAll(Map.of("SCR_JAVA_HOME", System.getProperty("java.home"), "SCR_USER_NAME", "u", "SCR_JOB_ID", "1",
        "SCR_CNTL_BASE", where.resolve("c").toString(), "SCR_CACHE_BASE", where.resolve("k").toString(),
        "SCR_PREFIX", prefix().toString()));
    variables.put("SCR_AOT", "0");                         // nothing is made for later starts
    variables.putAll(environment);
    variables.putAll(more);
    variables.computeIfAbsent("SCR_JAVA_OPTIONS", _ -> ShortLife.javaOptions());
    DaemonProcess daemon = new DaemonProcess(name, port, builder.start(), output);
    started.add(daemon);
    return daemon;
  }

  /** Those that start from now on have the cluster's own secret, wherever their storage is. */
  DaemonCluster withSecret() {
    withSecret = true;
    return this;
  }

  /** Beyond loopback there is no daemon without one. */
  private Path secret() throws IOException {
    Path file = directory.resolve("secret");
    if (!Files.exists(file)) {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, SECRET);
    }
    return file;
  }

  /** Starts daemons with fresh names until so many live; the new ones are the youngest. */
  void fill(int count) throws Exception {
    while (alive.size() < count) {
      start("n" + (started.size() + 1));
    }
  }

  /** Starts new daemons concurrently, without waiting. Only the cluster knows which of them is the oldest. */
  void fillSoon(int count) throws IOException {
    while (alive.size() < count) {
      startSoon("n" + (started.size() + 1));
    }
  }

  /** Waits until all that live are ready. */
  void awaitReady() throws Exception {
    for (DaemonProcess daemon : alive()) {
      daemon.awaitReady();
    }
  }

  /** SIGKILL. */
  void kill(String name) throws InterruptedException {
    alive.remove(name).kill();
  }

  /** SIGKILL to all at once. */
  void killAll() throws InterruptedException {
    List<DaemonProcess> all = alive();
    alive.clear();
    all.forEach(daemon -> daemon.destroy());
    for (DaemonProcess daemon : all) {
      daemon.awaitExit();
    }
  }

  /** SIGTERM to all; returns their exit codes. */
  List<Integer> terminateAll() throws InterruptedException {
    List<DaemonProcess> all = alive();
    alive.clear();
    all.forEach(DaemonProcess::terminate);
    List<Integer> codes = new ArrayList<>();
    for (DaemonProcess daemon : all) {
      codes.add(daemon.awaitExit());
    }
    return codes;
  }

  /** The node's storage is gone with it. */
  void wipe(String name) throws IOException {
    for (String base : List.of("c", "k")) {
      delete(directory.resolve(base).resolve("u/scr.1").resolve(name));
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Override
  public void close() throws Exception {
    for (DaemonProcess daemon : started) {
      daemon.kill();
    }
    delete(directory);
  }
}
