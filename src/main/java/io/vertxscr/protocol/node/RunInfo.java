package io.vertxscr.protocol.node;

import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.RankMap;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A run that has begun.
 *
 * @param run its number, by the leader's clock: unique, ascending, and later than all datasets known when it began
 * @param prefix absolute path of the prefix directory
 * @param restart the checkpoint that the application may read, where there is one
 * @param policy its configuration, with the groups of its nodes
 */
public record RunInfo(long run, String prefix, String jobName, RankMap map, Optional<Restartable> restart,
    InitialState found, RunPolicy policy) {
  public RunInfo {
    FieldChecks.run(run);
    FieldChecks.place("prefix", prefix);
    FieldChecks.label("jobName", jobName);
  }

  /**
   * A checkpoint whose files are in place on every rank's node; created tells histories apart.
   *
   * @param shards the node of each rank that wrote it, where every rank of the run may read every file; as many ranks
   *     as wrote it. Empty where files are bound to ranks
   */
  public record Restartable(int datasetId, long createdUs, String name, Optional<RankMap> shards) {
    /** With files bound to ranks. */
    public Restartable(int datasetId, long createdUs, String name) {
      this(datasetId, createdUs, name, Optional.empty());
    }

    public Restartable {
      FieldChecks.dataset(datasetId);
      FieldChecks.count("createdUs", createdUs);
      FieldChecks.text("name", name);
    }

    public DatasetKey key() {
      return new DatasetKey(datasetId, createdUs);
    }

    /** Whether it is this dataset. */
    public boolean isOf(DatasetDescriptor dataset) {
      return datasetId == dataset.id() && createdUs == dataset.createdUs();
    }
  }

  /**
   * State found at run begin.
   *
   * @param lastDatasetId highest that was known; 0 for none
   * @param lastCheckpointId the same
   * @param lastCreatedUs latest creation of a dataset, or begin of a run, that was known; 0 for none
   * @param remarks startup warnings, in sentences
   */
  public record InitialState(int lastDatasetId, int lastCheckpointId, long lastCreatedUs, List<String> remarks) {
    /** Nothing, in an empty world. */
    public static final InitialState NOTHING = new InitialState(0, 0, 0, List.of());

    public InitialState {
      FieldChecks.count("lastDatasetId", lastDatasetId);
      FieldChecks.count("lastCheckpointId", lastCheckpointId);
      FieldChecks.count("lastCreatedUs", lastCreatedUs);
      FieldChecks.sentences("remarks", remarks);
      remarks = List.copyOf(remarks);
    }
  }

  /** Returns the run with more messages for rank 0. */
  public RunInfo telling(List<String> more) {
    return more.isEmpty() ? this : new RunInfo(run, prefix, jobName, map, restart, new InitialState(
        found.lastDatasetId(),
        found.lastCheckpointId(), found.lastCreatedUs(),
        Stream.concat(found.remarks().stream(), more.stream()).toList()), policy);
  }

  /** Returns the run with another checkpoint to read. */
  public RunInfo with(Optional<Restartable> other) {
    return new RunInfo(run, prefix, jobName, map, other, found, policy);
  }
}
