package io.vertxscr.demo;

import io.vertxscr.examples.heat.Checkpointing;
import io.vertxscr.examples.heat.DirectoryStore;
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
import java.util.stream.Stream;

/** Nodes that are directories; ranks are threads. The copies of all files survive the death of a node, if wanted. */
class FakeCluster implements DemoCluster {
  private final Path directory;
  private final boolean copiesSurvive;
  private final DirectoryStore store;
  private final Map<Path, DirectoryStore.Run> runs = new HashMap<>();
  private final Set<String> members = new TreeSet<>();

  FakeCluster(Path directory, boolean copiesSurvive) {
    this.directory = directory;
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
  }

  @Override
  public RankLauncher ranks() {
    return new ThreadLauncher(this::client);
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
