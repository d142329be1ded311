package io.vertxscr.demo;

import java.nio.file.Path;
import java.util.List;

/** The cluster that the demo runs on. Used by one thread; all calls block, and fail with {@code ScrException}. */
public interface DemoCluster extends AutoCloseable {
  /** Starts nodes, all at once; they are members and can serve a phase when this returns. */
  void startNodes(List<String> nodes);

  /** Kills a node without warning, and deletes its storage. */
  void killNode(String node);

  /** Starts ranks on nodes of this cluster. */
  RankLauncher ranks();

  /** The prefix directory of the runs; left in place by {@link #close}. */
  Path prefix();

  @Override
  void close();
}
