package io.vertxscr.cli.offline;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs {@code scr copy} on many hosts at once, through a command of the user's that reaches one: {@code ssh {host}}. A
 * host that cannot be reached is what scavenging is for: it is named, and the others go on.
 *
 * @param remote words before the command; {@code {host}} stands for the host
 * @param command to run there
 */
record RemoteCopies(String remote, List<String> command) {
  /** More hosts wait until one is done. */
  private static final int MOST_AT_ONCE = 32;
  /** Exit code of ssh, and of what behaves like it, where the host was not reached. */
  private static final int UNREACHED = 255;

  /** Result of a host. */
  enum Outcome {
    COPIED,
    /** It was reached, and has nothing of the dataset. */
    NOTHING_THERE,
    /** Treated as dead, with its daemon. */
    NOT_REACHED,
    /** A daemon may be active there: one runs, a disk is full, or the command could not be started. */
    FAILED
  }

  /** Returns the hosts by result, in their order; output of the commands is printed. */
  Map<Outcome, List<String>> run(List<String> hosts, PrintWriter out) {
    Map<Outcome, List<String>> outcomes = new EnumMap<>(Outcome.class);
    try (ExecutorService executor = Executors.newFixedThreadPool(Math.clamp(hosts.size(), 1, MOST_AT_ONCE))) {
      List<Future<Outcome>> running = new ArrayList<>();
      for (String host : hosts) {
        Callable<Outcome> one = () -> outcome(run(host, out));
        running.add(executor.submit(one));
      }
      for (int i = 0; i < hosts.size(); i++) {
        outcomes.computeIfAbsent(outcome(running.get(i), hosts.get(i), out), _ -> new ArrayList<>())
            .add(hosts.get(i));
      }
    }
    return outcomes;
  }

  private static Outcome outcome(int exit) {
    return switch (exit) {
      case 0 -> Outcome.COPIED;
      case OfflineCommands.NOTHING_HERE -> Outcome.NOTHING_THERE;
      case UNREACHED -> Outcome.NOT_REACHED;
      default -> Outcome.FAILED;
    };
  }

  private int run(String host, PrintWriter out) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(Arrays.asList(remote.replace("{host}", host).trim().split("\\s+")));
    line.addAll(command);
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    process.getOutputStream().close();
    try (BufferedReader output = process.inputReader()) {
      for (String said = output.readLine(); said != null; said = output.readLine()) {
        synchronized (out) {
          out.println(host + ": " + said);
        }
      }
      return process.waitFor();
    } finally {
      process.destroy();
    }
  }

  private static Outcome outcome(Future<Outcome> ended, String host, PrintWriter out) {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      out.println(host + ": " + e.getCause().getMessage());
      return Outcome.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while copying on " + host, e);
    }
  }
}
