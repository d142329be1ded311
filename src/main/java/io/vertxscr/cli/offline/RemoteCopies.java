package io.vertxscr.cli.offline;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
 * @param command what is run there
 */
record RemoteCopies(String remote, List<String> command) {
  /** More hosts wait until one is done. */
  private static final int MOST_AT_ONCE = 32;
  private static final int NOT_STARTED = 127;

  /** @return hosts on which it failed, with the exit code; the reasons are printed */
  SortedMap<String, Integer> run(List<String> hosts, PrintWriter out) {
    SortedMap<String, Integer> failed = new TreeMap<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(Math.clamp(hosts.size(), 1, MOST_AT_ONCE))) {
      List<Future<Integer>> running = new ArrayList<>();
      for (String host : hosts) {
        Callable<Integer> one = () -> run(host, out);
        running.add(executor.submit(one));
      }
      for (int i = 0; i < hosts.size(); i++) {
        int exit = exitOf(running.get(i), hosts.get(i), out);
        if (exit != 0) {
          failed.put(hosts.get(i), exit);
        }
      }
    }
    return failed;
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

  private static int exitOf(Future<Integer> ended, String host, PrintWriter out) {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      out.println(host + ": " + e.getCause().getMessage());
      return NOT_STARTED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while copying on " + host, e);
    }
  }
}
