package io.vertxscr.protocol.node;

import io.vertxscr.flow.flush.Leases;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.RankFiles;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Messages that bring a dataset to the prefix directory. */
public final class Flushing {
  private Flushing() {}

  /**
   * Copy, or publish, these ranks' files. Outcomes carry the attempt they belong to.
   *
   * @param background whether phases of the run go first: nobody waits for it
   */
  public record Work(int datasetId, int attempt, List<Integer> ranks, boolean background) {}

  /**
   * To the leader: how many may write here, and how fast? Tells how far this node has come, too.
   *
   * @param doneBytes copied in this attempt
   * @param need remaining work; no writers: it has ended here, or pauses
   */
  public record Ask(String node, int datasetId, int attempt, long doneBytes, Leases.Need need) {}

  /**
   * The answer; empty cancels the copies, because this attempt is not the leader's current one.
   *
   * @param share counted from the moment of asking
   * @param dropped whether that is so because the dataset is to go: its copies are useless
   */
  public record Answer(Optional<Leases.Share> share, boolean dropped) {}

  /**
   * Asks the leader whether this dataset is flushed. Answered with a {@link io.vertxscr.protocol.app.FlushReply}.
   *
   * @param datasetId its id, where the asking node has it
   * @param await answer when it has, or after some seconds
   */
  public record Question(String prefix, String name, OptionalInt datasetId, boolean await) {}

  /**
   * State of one flush, for status output.
   *
   * @param state current activity or wait, in a few words
   * @param remainingMs until all is copied; missing where that is not known
   * @param cause why the last attempt failed, where one has
   */
  public record View(int datasetId, String name, String state, int attempt, Amount amount, OptionalLong remainingMs,
      Optional<String> cause) {}

  /** Progress of the flush. */
  public record Amount(long doneBytes, long totalBytes, long bytesPerSecond) {}

  /**
   * Copied.
   *
   * @param mapBytes of the entries of these ranks in a rank2file map
   */
  public record Worked(int datasetId, int attempt, long mapBytes) {}

  /**
   * To the leader: this dataset is about to overwrite a file in bypass mode. Answered when the index says durably which
   * dataset is replaced by that.
   *
   * @param place relative to the prefix
   */
  public record Overwrite(String prefix, DatasetDescriptor dataset, String place) {}

  /** Published. @param taken whether any of the names was another file's before */
  public record Renamed(int datasetId, int attempt, boolean taken) {}

  /**
   * Write one part of the map.
   *
   * @param prefix directory that the dataset is in
   * @param ranks of the run that wrote it
   * @param ranksPerPart the same for all parts; the last one may have fewer
   * @param holders for each rank of the part, ascending, the node that has its files
   * @param form of these in the prefix directory
   */
  public record MapPart(int datasetId, String prefix, int ranks, int firstRank, int ranksPerPart,
      List<String> holders, Form form) {}

  /** Form of a dataset's files in the prefix directory. */
  public enum Form { FILES, COMPRESSED, CONTAINERS }

  /** A part of the map is durable. All are sums over its ranks. @param storedBytes of files that are compressed */
  public record Mapped(long files, long bytes, long storedBytes) {}

  /** Compressed sizes of these ranks' files, one list for each rank, in the order of the request. */
  public record Sizes(List<RankFiles> files, List<List<Long>> storedBytes) {}

  /** Stored sizes of the compressed files of these ranks. */
  public record SizesOf(int datasetId, List<Integer> ranks) {}

  /**
   * Sets the flush state in the filemap.
   *
   * @param state DONE: the dataset is in the prefix directory, whole and durable; WANTED: it must get there, unless it
   *     is DONE; NOT_WANTED: it was DONE, and the flushed copy is gone
   * @param discard whether it was not published, since later datasets have its places: its drafts go
   */
  public record Flushed(int datasetId, FlushState state, boolean discard) {
    /** Nothing is discarded. */
    public Flushed(int datasetId, FlushState state) {
      this(datasetId, state, false);
    }
  }
}
