package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.InitRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How a process comes into its run, and what it configures for it.
 *
 * @param socket of the daemon on this node (SCR_SOCKET; of several, separated by colons, rank r of n takes entry
 *     r * entries / n)
 * @param rank from 0 (SCR_RANK)
 * @param ranks size of the run (SCR_RANKS)
 * @param prefix prefix directory, made absolute (SCR_PREFIX)
 * @param jobName may be empty (SCR_JOB_NAME)
 * @param environment the SCR_* variables of the process; for the run those of rank 0 count
 * @param calls what the application configures, in order; for the run those of rank 0 count
 */
public record ScrOptions(Path socket, int rank, int ranks, Path prefix, String jobName,
    SortedMap<String, String> environment, List<String> calls) {
  private static final String ENABLE = "SCR_ENABLE";

  public ScrOptions {
    Addresses.socket(socket);
    prefix = prefix.toAbsolutePath().normalize();
    environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    calls = List.copyOf(calls);
  }

  /** Of a process that configures nothing. */
  public ScrOptions(Path socket, int rank, int ranks, Path prefix, String jobName) {
    this(socket, rank, ranks, prefix, jobName, new TreeMap<>(), List.of());
  }

  /**
   * As the environment says. With SCR_ENABLE=0 nothing else need be there.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the variable
   */
  public static ScrOptions of(Map<String, String> environment) {
    SortedMap<String, String> ours = new TreeMap<>();
    environment.forEach((name, value) -> {
      if (name.startsWith("SCR_")) {
        ours.put(name, value);
      }
    });
    if ("0".equals(environment.get(ENABLE))) {
      ours.keySet().retainAll(List.of(ENABLE));
      boolean known = environment.containsKey("SCR_RANK") && environment.containsKey("SCR_RANKS");
      int rank = known ? number(environment, "SCR_RANK") : 0;
      int ranks = known ? number(environment, "SCR_RANKS") : 1;
      return new ScrOptions(Path.of("/none"), rank, ranks, Path.of(""), "", ours, List.of());
    }
    String sockets = socket(environment);               // first: its message says how to get all of them
    int rank = number(environment, "SCR_RANK");
    int ranks = number(environment, "SCR_RANKS");
    return new ScrOptions(
        own(sockets, rank, ranks), rank, ranks,
        Path.of(needed(environment, "SCR_PREFIX")),
        environment.getOrDefault("SCR_JOB_NAME", ""), ours, List.of());
  }

  /**
   * The same with one more thing configured: {@code SCR_FLUSH=5}, {@code CKPT=0 TYPE=XOR}, or {@code SCR_FLUSH=} to
   * take an earlier call back. The environment and the user's configuration file have precedence over it. What is wrong
   * with it, the daemon says: at once to {@link Scr#config}, to all ranks when they come into the run.
   */
  public ScrOptions config(String call) {
    List<String> more = new ArrayList<>(calls);
    more.add(call);
    return new ScrOptions(socket, rank, ranks, prefix, jobName, environment, more);
  }

  /** Whether calls do anything: not with SCR_ENABLE=0, in the environment or else configured by the application. */
  public boolean enabled() {
    String value = environment.get(ENABLE);
    for (int i = calls.size() - 1; i >= 0 && value == null; i--) {
      String call = calls.get(i).strip();
      value = call.startsWith(ENABLE + "=") ? call.substring(ENABLE.length() + 1) : null;
    }
    return !"0".equals(value);
  }

  /** Only rank 0 tells what it configures: a large run need not send it a thousand times. */
  InitRequest init() {
    return new InitRequest(rank, ranks, prefix.toString(), jobName,
        rank == 0 ? Optional.of(sent()) : Optional.empty(), rank == 0 ? Optional.of(calls) : Optional.empty());
  }

  ConfigRequest query(String query) {
    return new ConfigRequest(Optional.of(sent()), Optional.of(calls), Optional.of(query));
  }

  private Map<String, String> sent() {
    SortedMap<String, String> sent = new TreeMap<>(environment);
    sent.put("SCR_PREFIX", prefix.toString());
    return sent;
  }

  private static Path own(String sockets, int rank, int ranks) {
    String[] entries = sockets.split(":");
    long entry = (long) rank * entries.length / Math.max(1, ranks);
    return Path.of(entries[Math.clamp(entry, 0, entries.length - 1)]);
  }

  private static String socket(Map<String, String> environment) {
    if (environment.getOrDefault("SCR_SOCKET", "").isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable SCR_SOCKET is not set: start a daemon on"
          + " this node (`scr node`) and set it to the socket that its ready line names, or start the program with"
          + " `scr run`");
    }
    return environment.get("SCR_SOCKET");
  }

  private static String needed(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null || value.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + name + " is not set");
    }
    return value;
  }

  private static int number(Map<String, String> environment, String name) {
    String value = needed(environment, name);
    try {
      return Integer.parseInt(value.strip());
    } catch (NumberFormatException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + name + " is '" + value
          + "', expected a whole number", e);
    }
  }
}
