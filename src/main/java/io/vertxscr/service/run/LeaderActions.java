package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.gather.NodeContribution;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.Flushing.Answer;
import io.vertxscr.protocol.node.Flushing.Ask;
import io.vertxscr.protocol.node.Flushing.Overwrite;
import io.vertxscr.protocol.node.Flushing.Question;
import io.vertxscr.protocol.node.Flushing.View;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import java.util.List;

/** Actions of the leader for a run; {@link LeaderService} itself only keeps the run's life. On the node's loop. */
public interface LeaderActions {
  /**
   * Reads what is configured for a run on these nodes; fails with BAD_CONFIGURATION, naming the place.
   */
  Future<RunSettings> configure(UserSettings user, RankMap map);

  /**
   * Restores the newest available checkpoint on the nodes of the ranks.
   *
   * @return the run, ready to begin, with or without a checkpoint to read
   */
  Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings settings);

  /** Reduces the contributions of all nodes to one result. */
  Future<Packed> decide(ActiveRun run, Step step, List<NodeContribution<Packed>> parts);

  /** Returns operations since the last call, for rank 0, if the run wants them (SCR_DEBUG). */
  default List<String> operations() {
    return List.of();
  }

  /** Returns warnings about the restarts so far, in sentences. */
  List<String> remarks();

  /** Datasets on their way to the prefix directory. */
  List<View> flushes();

  /** A node that flushes asks how many may write, and how fast. */
  Answer share(Ask ask);

  /** A rank asks whether a dataset has reached the prefix directory. */
  Future<FlushReply> flushState(Question question);

  /** A rank is about to write over a file past the cache: the index says so when this completes. */
  Future<Void> overwrite(Overwrite what);

  /** This node leads from now on, where another one has led before, of so many nodes. */
  void tookOver(int nodes);

  /** A run has begun on all its nodes; starts background work. */
  void begun(RunInfo info);

  /** Returns a grant for a node's further answers. */
  Future<Grant> advise(Advising.Ask ask);

  /**
   * A run is about to begin, before its nodes are told, or continues here after a failover.
   *
   * @param begins whether it begins
   */
  void open(RunInfo info, boolean begins);

  /**
   * Clears the read checkpoint of blame: the run has lost a node, or was ended from outside. May be told again; does
   * not fail.
   */
  Future<Void> excused(RunInfo info);

  /** The run is over before its time; its number is 0 if it was still forming. */
  void over(long run, ScrException cause);

  /** Resumes work of an earlier leader, or of an earlier process of a node. */
  void resume();
}
