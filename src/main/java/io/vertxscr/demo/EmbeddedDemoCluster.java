package io.vertxscr.demo;

import io.vertx.core.Vertx;
import io.vertxscr.examples.heat.ScrCheckpointing;
import io.vertxscr.model.Scheme;
import io.vertxscr.node.EmbeddedCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Nodes and ranks in this process: ranks are threads that use the event bus. */
public final class EmbeddedDemoCluster implements DemoCluster {
  private final Path prefix;
  private final DemoStorage storage;
  private final Vertx vertx = Vertx.vertx();
  private final EmbeddedCluster nodes;
  private boolean closed;

  private EmbeddedDemoCluster(Path prefix, DemoStorage storage) {
    this.prefix = prefix;
    this.storage = storage;
    this.nodes = new EmbeddedCluster(vertx, storage.settings(), true);
  }

  /** A cluster without nodes. */
  public static EmbeddedDemoCluster create(DemoPlan plan, Scheme scheme, int flushEvery) throws IOException {
    return new EmbeddedDemoCluster(plan.directory().resolve("prefix"), DemoStorage.create(plan, scheme, flushEvery));
  }

  @Override
  public void startNodes(List<String> names) {
    names.forEach(nodes::start);
  }

  @Override
  public void killNode(String node) {
    nodes.kill(node);
    storage.lose(node);
  }

  @Override
  public RankLauncher ranks() {
    return new ThreadLauncher((options, node) -> ScrCheckpointing.open(options, nodes.client(node), prefix));
  }

  @Override
  public Path prefix() {
    return prefix;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (storage) {
      nodes.close();
      vertx.close().await();
    }
  }
}
