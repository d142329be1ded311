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
 * Identity of a process in its run, and its configuration.
 *
 * @param socket of the daemon on this node
 * @param rank from 0
 * @param ranks size of the run
 * @param prefix prefix directory, made absolute
 * @param jobName may be empty (SCR_JOB_NAME)
 * @param environment the SCR_* variables of the process; for the run those of rank 0 count
 * @param calls what the application configures, in order; for the run those of rank 0 count
 */
public record ScrOptions(Path socket, int rank, int ranks, Path prefix, String jobName,
    SortedMap<String, String> environment, List<String> calls) {
  private static final String ENABLE = "SCR_ENABLE";
  private static final String INIT_NOTICE = "SCR_INIT_NOTICE_SECONDS";
  private static final int INIT_NOTICE_SECONDS = 30;
  private static final int MOST_INIT_NOTICE_SECONDS = 1_000_000;

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
   * Reads the options from the environment. Rank and size come from the variables of the launcher (Open MPI, MPICH,
   * MVAPICH, PMI, PMIx, Flux, Slurm, torchrun) or SCR_RANK and SCR_RANKS; the prefix from SCR_PREFIX, else the working
   * directory; the socket from SCR_SOCKET, else the control directory of this host's daemon. With SCR_ENABLE=0 nothing
   * need be there.
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
    Path prefix = Path.of(environment.getOrDefault("SCR_PREFIX", ""));
    if ("0".equals(environment.get(ENABLE))) {
      ours.keySet().retainAll(List.of(ENABLE));
      ProcessRank process = ProcessRank.orAlone(environment);
      return new ScrOptions(Path.of("/none"), process.rank(), process.ranks(), prefix, "", ours, List.of());
    }
    ProcessRank process = ProcessRank.of(environment);
    return new ScrOptions(DaemonSocket.of(environment, process), process.rank(), process.ranks(), prefix,
        environment.getOrDefault("SCR_JOB_NAME", ""), ours, List.of());
  }

  /**
   * Adds a configuration call: {@code SCR_FLUSH=5}, {@code CKPT=0 TYPE=XOR}, or {@code SCR_FLUSH=} to undo an earlier
   * one. The environment and the user's configuration file have precedence over it. What is wrong with it, the daemon
   * says: at once to {@link Scr#config}, to all ranks when they come into the run.
   */
  public ScrOptions config(String call) {
    List<String> more = new ArrayList<>(calls);
    more.add(call);
    return new ScrOptions(socket, rank, ranks, prefix, jobName, environment, more);
  }

  /** Whether SCR is enabled: not with SCR_ENABLE=0, in the environment or by a configuration call. */
  public boolean enabled() {
    String value = Optional.ofNullable(environment.get(ENABLE)).filter(set -> !set.isEmpty()).orElse(null);
    for (int i = calls.size() - 1; i >= 0 && value == null; i--) {
      String call = calls.get(i).strip();
      value = call.startsWith(ENABLE + "=") ? call.substring(ENABLE.length() + 1) : null;
    }
    return !"0".equals(value);
  }

  /**
   * How long init waits until it says what for; 0: it never does (SCR_INIT_NOTICE_SECONDS).
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} for another value than 0 to 1000000
   */
  int initNoticeSeconds() {
    String value = environment.getOrDefault(INIT_NOTICE, "").strip();
    if (value.isEmpty()) {
      return INIT_NOTICE_SECONDS;
    }
    if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) > MOST_INIT_NOTICE_SECONDS) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + INIT_NOTICE + " is '" + value
          + "', expected 0 to " + MOST_INIT_NOTICE_SECONDS);
    }
    return Integer.parseInt(value);
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
}
