package io.vertxscr.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A daemon as a process of its own, started as users start it: by {@code bin/scr node}. */
final class Daemon implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("node \\S+ is ready: .*, socket (\\S+)");
  private static final long STOP_S = 30;
  private static final double TICKS_PER_SECOND = 100;          // USER_HZ, the same on all Linux systems that run Java

  private final String name;
  private final Process process;
  private final Path log;
  private final Path socket;
  private final double readySeconds;
  private String readyLine = "";

  private Daemon(String name, Process process, Path log) throws IOException, InterruptedException {
    this.name = name;
    this.process = process;
    this.log = log;
    long begin = System.nanoTime();
    this.socket = awaitReady();
    this.readySeconds = (System.nanoTime() - begin) / 1e9;
  }

  /**
   * Starts one and waits until it is ready.
   *
   * @param arguments of {@code bin/scr node}, but for the name
   * @param log for its standard error
   */
  static Daemon start(String name, List<String> arguments, Map<String, String> environment, Path log)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(System.getProperty("scr.home") + "/bin/scr", "node", "--name", name));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(key -> key.startsWith("SCR_") && !key.equals("SCR_JAVA_OPTIONS"));
    builder.environment().putAll(environment);
    return new Daemon(name, builder.start(), log);
  }

  private Path awaitReady() throws IOException, InterruptedException {
    BufferedReader lines = process.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher ready = READY.matcher(line);
      if (ready.matches()) {
        readyLine = line;
        return Path.of(ready.group(1));
      }
    }
    throw new LoadException("daemon " + name + " ended before it was ready, with code " + process.waitFor() + "\n"
        + Files.readString(log));
  }

  String name() {
    return name;
  }

  /** Where it can be reached, and what it has open. */
  Doors doors() throws IOException {
    return Doors.of(process.pid(), readyLine);
  }

  Path socket() {
    return socket;
  }

  double readySeconds() {
    return readySeconds;
  }

  /** CPU time so far, user and system. */
  double cpuSeconds() throws IOException {
    String stat = Files.readString(proc("stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");   // the first of them is field 3, the state
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }

  /** The largest resident set so far. */
  long peakRssBytes() throws IOException {
    return peakRssBytes(proc("status"));
  }

  /** The largest resident set so far of the process with this status file. */
  static long peakRssBytes(Path status) throws IOException {
    return Files.readAllLines(status).stream().filter(line -> line.startsWith("VmHWM:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
  }

  /** Bytes written so far, to files and connections. */
  long writtenBytes() throws IOException {
    return io("wchar:");
  }

  /** Bytes read so far, of files and connections. */
  long readBytes() throws IOException {
    return io("rchar:");
  }

  private long io(String field) throws IOException {
    return Files.readAllLines(proc("io")).stream().filter(line -> line.startsWith(field))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
  }

  private Path proc(String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  /** SIGKILL, and waits for the end. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
