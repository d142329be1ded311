package io.vertxscr.cli.offline;

import io.vertxscr.launch.RemoteCommand;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.scavenge.DatasetCopies;
import io.vertxscr.scavenge.Finding.HostOutcome;
import io.vertxscr.scavenge.Finding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Runs {@code scr copy} on many hosts at once, through a command of the user's that reaches one: {@code ssh {host}}. A
 * host that cannot be reached is what scavenging is for: it is named, and the others go on.
 *
 * @param remote words before the command; {@code {host}} stands for the host
 * @param command to run there, without the dataset
 * @param out for the output of the commands
 */
record RemoteCopies(String remote, List<String> command, List<String> hosts, PrintWriter out,
    Consumer<Finding> findings) implements DatasetCopies {
  /** More hosts wait until one is done. */
  private static final int MOST_AT_ONCE = 32;
  /** Exit code of ssh, and of what behaves like it, where the host was not reached. */
  private static final int UNREACHED = 255;

  /** Copies on all hosts; where one has failed, a daemon may be left there. */
  @Override
  public boolean bring(int id) {
    Map<HostOutcome, List<String>> outcomes = run(id);
    for (HostOutcome outcome : List.of(HostOutcome.NOTHING_THERE, HostOutcome.NOT_REACHED, HostOutcome.FAILED)) {
      if (outcomes.containsKey(outcome)) {
        findings.accept(new Finding.HostsWithout(outcome, id, outcomes.get(outcome), hosts.size()));
      }
    }
    return !outcomes.containsKey(HostOutcome.FAILED);
  }

  /** Returns the hosts by result, in their order; output of the commands is printed. */
  private Map<HostOutcome, List<String>> run(int id) {
    Map<HostOutcome, List<String>> outcomes = new EnumMap<>(HostOutcome.class);
    try (ExecutorService executor = Executors.newFixedThreadPool(Math.clamp(hosts.size(), 1, MOST_AT_ONCE))) {
      List<Future<HostOutcome>> running = new ArrayList<>();
      for (String host : hosts) {
        Callable<HostOutcome> one = () -> outcome(run(host, id));
        running.add(executor.submit(one));
      }
      for (int i = 0; i < hosts.size(); i++) {
        outcomes.computeIfAbsent(outcome(running.get(i), hosts.get(i)), _ -> new ArrayList<>())
            .add(hosts.get(i));
      }
    }
    return outcomes;
  }

  private static HostOutcome outcome(int exit) {
    return switch (exit) {
      case 0 -> HostOutcome.COPIED;
      case OfflineCommands.NOTHING_HERE -> HostOutcome.NOTHING_THERE;
      case UNREACHED -> HostOutcome.NOT_REACHED;
      default -> HostOutcome.FAILED;
    };
  }

  private int run(String host, int id) throws IOException, InterruptedException {
    List<String> copy = new ArrayList<>(command);
    copy.addAll(List.of("--id", Integer.toString(id)));
    Process process = new ProcessBuilder(RemoteCommand.line(remote, host, copy)).redirectErrorStream(true).start();
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

  private HostOutcome outcome(Future<HostOutcome> ended, String host) {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      out.println(host + ": " + Names.printable(String.valueOf(e.getCause().getMessage())));
      return HostOutcome.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while copying on " + host, e);
    }
  }
}
