package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.run.DatasetSynced;
import java.util.List;

/** Work that the life of a run calls for; {@link LeaderService} keeps the life itself. On the node's loop. */
public interface LeaderActions {
  /**
   * Reads what is configured for a run on these nodes; fails with BAD_CONFIGURATION, naming the place. What the user's
   * settings refer to comes from the node that rank 0 is on.
   */
  Future<RunSettings> configure(UserSettings user, RankMap map);

  /**
   * Restores the newest available checkpoint on the nodes of the ranks.
   *
   * @return the run, ready to begin, with or without a checkpoint to read
   */
  Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings settings);

  /** What is done in a step with the contributions of all nodes. */
  GatherHandler handler(Step step);

  /** What was done since the last time, for rank 0, where the run wants to know. */
  List<String> operations();

  /** Returns warnings about the restarts so far, in sentences. */
  List<String> remarks();

  /** Datasets on their way to the prefix directory. */
  List<FlushView> flushes();

  /** Datasets that are being made whole again, or cannot be. */
  List<HealView> healings();

  /** Nodes that are to be drained. */
  List<DrainReply> drains();

  /** This node is marked to be drained, as it says to its new leader. */
  void drained(String node);

  /** This node leads from now on, where another one has led before, of so many nodes. */
  void tookOver(int nodes);

  /** A run has begun on all its nodes; starts background work. */
  void begun(RunInfo info);

  /**
   * A run is about to begin, before its nodes are told, or continues here after a failover.
   *
   * @param begins whether it begins
   */
  void open(RunInfo info, boolean begins);

  /** Ranks of a run that continues here write this dataset to the prefix directory at once. */
  void bypassing(RunInfo info, DatasetDescriptor dataset);

  /**
   * Clears the read checkpoint of blame: the run has lost a node, or was ended from outside. May be told again; does
   * not fail.
   */
  Future<Void> excused(RunInfo info);

  /** The run is over before its time; its number is 0 if it was still forming. */
  void over(long run, ScrException cause);

  /** A run that is over, or that another leader has led, has lost a node. May be told again, and late. */
  void nodeLost(long run);

  /** A node says again what an earlier leader has answered. */
  void synced(DatasetSynced part);

  /** A node knows a run of this number. Later ones get higher ones, regardless of the clock of this node. */
  void numbered(long run);

  /** Another node leads from now on: watches no run any more. */
  void resigned();

  /** Resumes work of an earlier leader, or of an earlier process of a node. */
  void resume();
}
