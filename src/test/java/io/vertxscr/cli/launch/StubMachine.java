package io.vertxscr.cli.launch;

import io.vertxscr.cli.CliRun;
import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Simulated commands of a machine as shell scripts on the PATH: resource manager, launcher, daemons. The daemons speak
 * the launcher's protocol but keep nothing. Each writes down how it was called.
 */
final class StubMachine {
  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  StubMachine(Path directory) throws IOException {
    this.directory = directory;
    Files.createDirectories(directory.resolve("bin"));
    Files.createDirectories(prefix());
    environment.putAll(Map.of("PATH", directory.resolve("bin") + ":/usr/bin:/bin", "SCR_PREFIX", prefix().toString(),
        "SCR_USER_NAME", "u", "SCR_CNTL_BASE", directory.resolve("c").toString(),
        "SCR_CACHE_BASE", directory.resolve("k").toString(), "CALLS", calls().toString(),
        "STATE", directory.toString(), "SCR_INIT_NOTICE_SECONDS", "0"));   // no notice that depends on the machine
    // A daemon sees those that run, like a cluster. Its node is in its arguments; files in STATE say what becomes of
    // it: dead-n1 never starts, late-n1 not while the file is there, apart-n1 begins a cluster of its own; says-n1 is
    // what it tells of the first run,
    // later-n1 what it tells after the file ended is there, unread-n1 what it has told before its next answer then.
    command("scr", """
        echo "scr $*" >> "$CALLS"
        [ "$1" = node ] || { echo "nothing to scavenge"; echo "left in the caches, for 2"; exit 0; }
        name=$4
        [ -e "$STATE/dead-$name" ] && { echo "$name: out of order" >&2; exit 1; }
        read -r header
        echo "$header" | sed 's/.*"SCR_LAUNCH":"\\([^"]*\\)".*/\\1/' >> "$STATE/launches"
        [ -e "$STATE/apart-$name" ] && apart=1
        [ -e "$STATE/apart-once-$name" ] && { rm "$STATE/apart-once-$name"; apart=1; }
        [ "$apart" ] || touch "$STATE/alive-$name"
        trap 'rm -f "$STATE/alive-$name"' EXIT
        while [ -e "$STATE/late-$name" ]; do sleep 0.05; done
        echo "node $name is ready: cluster x, socket /run/$name.sock"
        [ -e "$STATE/says-$name" ] && { while [ ! -e "$STATE/run-1" ]; do sleep 0.05; done
          cat "$STATE/says-$name"; touch "$STATE/said-$name"
          [ -e "$STATE/later-$name" ] && { while [ ! -e "$STATE/ended" ]; do sleep 0.05; done
            sleep 0.3; cat "$STATE/later-$name"; }; } &
        while read -r line; do
          [ "$line" = "ended from outside" ] && { echo "$name" >> "$STATE/ended-from-outside"; continue; }
          [ -e "$STATE/dead-$name" ] && exit 9
          [ -e "$STATE/once-$name" ] && { rm "$STATE/once-$name"; exit 9; }
          [ -e "$STATE/deaf-$name" ] && continue
          [ -e "$STATE/ended" ] && [ -e "$STATE/unread-$name" ] && cat "$STATE/unread-$name"
          [ "$apart" ] && { echo "pong {\\"members\\":[\\"$name\\"]}"; continue; }
          members=
          for alive in "$STATE"/alive-*; do members="$members\\"${alive##*/alive-}\\","; done
          echo "pong {\\"members\\":[${members%,}]}"
        done
        """);
  }

  Path prefix() {
    return directory.resolve("p");
  }

  /** A program has ended here as it wanted. */
  void finished() {
    new HaltFileStore(new PrefixPaths(prefix()), PatientLocks.user("test", Duration.ofSeconds(30)))
        .update(halt -> halt.because(Halt.Reason.SCR_FINALIZE_CALLED));
  }

  private Path calls() {
    return directory.resolve("calls");
  }

  /** Sets what the daemon of a node writes to its launcher after the program's first run. */
  void says(String node, String lines) throws IOException {
    Files.writeString(directory.resolve("says-" + node), lines);
  }

  /** Sets what it writes some time after the program has written the file {@code ended}. */
  void saysLater(String node, String lines) throws IOException {
    Files.writeString(directory.resolve("later-" + node), lines);
  }

  /** Sets what it writes before it answers for the first time after the program has written the file {@code ended}. */
  void hasSaid(String node, String lines) throws IOException {
    Files.writeString(directory.resolve("unread-" + node), lines);
  }

  /** A command on the PATH. */
  void command(String name, String script) throws IOException {
    Path file = directory.resolve("bin").resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script);
    if (!file.toFile().setExecutable(true)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  StubMachine with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Creates a file that scripts wait for. */
  void touch(String name) throws IOException {
    Files.writeString(directory.resolve(name), "");
  }

  /** Deletes one of them. */
  void remove(String name) {
    try {
      Files.deleteIfExists(directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean has(String name) {
    return Files.exists(directory.resolve(name));
  }

  Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** Runs a command of ours. */
  CliRun run(Object... words) {
    return CliRun.of(environment, words);
  }

  /** Starts a command of ours as an operator does, bin/scr, as a process; what it says goes to a file. */
  Process start(Path log, String... words) throws IOException {
    return builder(words).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  /** Starts it with files for standard input, output and error. */
  Process start(Path in, Path out, Path err, String... words) throws IOException {
    return builder(words).redirectInput(in.toFile()).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }

  private ProcessBuilder builder(String... words) {
    List<String> command = new ArrayList<>(List.of(System.getProperty("scr.home") + "/bin/scr"));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("SCR_JAVA_HOME", System.getProperty("java.home"));
    return builder;
  }

  /** Returns the calls, in order. */
  List<String> called() throws IOException {
    return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
  }

  /** The calls of one command, without its name. */
  List<String> called(String name) throws IOException {
    return called().stream().filter(line -> line.startsWith(name + " ")).map(line -> line.substring(name.length() + 1))
        .toList();
  }
}
