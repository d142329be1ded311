package io.vertxscr.demo;

import io.vertxscr.examples.heat.Checkpointing;
import io.vertxscr.examples.heat.DirectoryStore;
import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatOptions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Nodes that are directories; ranks are threads. The copies of all files survive the death of a node, if wanted. */
class FakeCluster implements DemoCluster {
  private final Path directory;
  private final int patienceSteps;
  private final boolean copiesSurvive;
  private final DirectoryStore store;
  private final Map<Path, DirectoryStore.Run> runs = new HashMap<>();
  private final Set<String> members = new TreeSet<>();
  private final CountDownLatch killed = new CountDownLatch(1);

  /** @param patienceSteps ranks wait at their first checkpoint from this step on until a node was killed */
  FakeCluster(Path directory, int patienceSteps, boolean copiesSurvive) {
    this.directory = directory;
    this.patienceSteps = patienceSteps;
    this.copiesSurvive = copiesSurvive;
    store = new DirectoryStore(directory);
  }

  synchronized Set<String> members() {
    return new TreeSet<>(members);
  }

  @Override
  public synchronized void startNodes(List<String> nodes) {
    members.addAll(nodes);
  }

  @Override
  public synchronized void killNode(String node) {
    members.remove(node);
    runs.values().forEach(run -> run.lose(node + " left the cluster"));
    delete(store.node(node));
    if (!copiesSurvive) {
      delete(store.copies());
    }
    killed.countDown();
  }

  @Override
  public RankLauncher ranks() {
    RankLauncher threads = new ThreadLauncher(this::client);
    return (options, node, listener) -> threads.launch(options, node, event -> {
      listener.accept(event);
      if (event instanceof HeatEvent.Checkpointed told && told.step() >= patienceSteps) {
        awaitKill();
      }
    });
  }

  private void awaitKill() {
    try {
      killed.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Checkpointing client(HeatOptions options, String node) {
    if (!members.contains(node)) {
      throw new ScrException(Fault.NODE_LOST, "rank " + options.rank() + " on " + node + ", which is not in "
          + members);
    }
    return runs.computeIfAbsent(options.rendezvous(), _ -> store.new Run(options.ranks())).client(node);
  }

  @Override
  public Path prefix() {
    return directory.resolve("prefix");
  }

  @Override
  public void close() {}

  /** Copes with files that appear meanwhile, written by ranks that are about to die. */
  private static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try {
      Path grave = directory.resolveSibling("dead-" + directory.getFileName());
      Files.move(directory, grave);
      try (Stream<Path> files = Files.walk(grave)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
