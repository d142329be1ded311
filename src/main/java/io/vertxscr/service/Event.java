package io.vertxscr.service;

import io.vertxscr.flow.flush.Progress;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Something that has happened on a node or in the cluster. What concerns all is told by the leader alone, once; what a
 * node does with its own cache is told by that node. Listed for readers outside in docs/messages.md. Any thread.
 */
public sealed interface Event {
  /** The run it belongs to, 0 for none. */
  default long run() {
    return 0;
  }

  /** The dataset it belongs to, 0 for none. */
  default int dataset() {
    return 0;
  }

  /** Why, in a sentence; empty where nothing went wrong. */
  default String cause() {
    return "";
  }

  /** A node has come. */
  record NodeJoined(String about) implements Event {}

  /** A node has gone, cleanly or not. */
  record NodeLeft(String about) implements Event {}

  /** All ranks have arrived, and the checkpoint, if any, can be read. */
  record RunBegun(long run, String jobName, String prefix, int ranks, int nodes) implements Event {}

  /** Redundancy sets of the run survive less than they were asked for; nothing else is wrong. */
  record ProtectionWeak(long run, String cause) implements Event {}

  /**
   * The run has ended.
   *
   * @param dataset the one that was being written, 0 for none: it is complete on every node or on none that counts
   * @param fault empty where the application finalized
   */
  record RunOver(long run, int dataset, Optional<Fault> fault, String cause) implements Event {}

  /** The run is to stop: this condition holds from now on. Told once a run. */
  record Halting(long run, String reason, String cause) implements Event {}

  /** The application begins to write a dataset. */
  record PhaseStarted(long run, int dataset, String name, boolean checkpoint, boolean output) implements Event {}

  /** The application waits to begin a dataset until there is room for it on the node that says so. */
  record PhaseHeldUp(long run, String cause) implements Event {}

  /** A dataset was not begun, because nothing has room for it; the run goes on. */
  record PhaseRefused(long run, int dataset, String name, Fault fault, String cause) implements Event {}

  /**
   * Size and duration of a phase.
   *
   * @param phaseUs from start to the end
   * @param protectionUs the part of it after every rank had called its files complete
   */
  record PhaseExtent(long files, long bytes, long phaseUs, long protectionUs) {}

  /**
   * Every node has said that its part is protected, durably.
   *
   * @param published whether it is in the prefix directory, where its ranks have written it past the cache
   */
  record DatasetComplete(long run, int dataset, boolean published, PhaseExtent extent) implements Event {}

  /** The dataset is deleted on every node; the run goes on with the one before. */
  record DatasetDiscarded(long run, int dataset, Fault fault, String cause, PhaseExtent extent) implements Event {}

  /** Ranks by the way in which their files came to their nodes. */
  record Ways(int kept, int moved, int rebuilt, int fetched) {}

  /** A checkpoint can be read on the node of every rank. */
  record Restored(int dataset, Ways ranks, long bytes, long restoreUs) implements Event {}

  /** The restored dataset has all the redundancy that it should have. */
  record ProtectionCaughtUp(int dataset, long protectionUs) implements Event {}

  /** The restored dataset lacks redundancy, and no retry follows. */
  record ProtectionNotCaughtUp(int dataset, Fault fault, String cause) implements Event {}

  /** Parts that were lost with a node are made again, with so many steps. */
  record HealStarted(int dataset, int steps) implements Event {}

  /** So many of them are done. */
  record HealProgress(int dataset, int done, int steps) implements Event {}

  /** It survives again what it should. */
  record HealDone(int dataset, int steps, long healUs) implements Event {}

  /** It does not, for now; told once for each fault. */
  record HealStopped(int dataset, Fault fault, String cause) implements Event {}

  /** An operator wants this node drained. */
  record DrainStarted(String about) implements Event {}

  /** It is: its loss loses nothing. */
  record DrainDone(String about) implements Event {}

  /** It cannot be, for now. */
  record DrainStopped(String about, String cause) implements Event {}

  /** The operator has taken that back. */
  record DrainCancelled(String about) implements Event {}

  /** All ranks have read it. */
  record RestartRead(long run, int dataset) implements Event {}

  /** Some rank has not; an older one is on offer, where there is one. */
  record RestartFailed(long run, int dataset, Fault fault, String cause) implements Event {}

  /**
   * A restart would have taken this checkpoint, and could not: it tries the next one.
   *
   * @param cached whether it is that of the caches, not that of the prefix directory
   * @param cause which rank's file, as far as that is known
   */
  record RestartPassedOver(int dataset, String name, boolean cached, Fault fault, String cause) implements Event {}

  /** No checkpoint is left to restart from, although the index of the prefix directory lists so many. */
  record RestartAnew(String prefix, int listed, String cause) implements Event {}

  /** No run brings this checkpoint of the caches to its prefix directory: the daemons do. @param cause why now */
  record ScavengeStarted(int dataset, String name, String prefix, String cause) implements Event {}

  /** That is over. @param cause why it is not there; empty where it is */
  record ScavengeEnded(int dataset, String name, String cause) implements Event {}

  /** It is on its way to the prefix directory. */
  record FlushStarted(int dataset) implements Event {}

  /**
   * Progress of copies, of all nodes or of the reporting one.
   *
   * @param bytesPerSecond over the last seconds
   * @param remainingMs until all are copied; empty while nothing moves
   */
  record CopyProgress(long doneBytes, long totalBytes, long bytesPerSecond, OptionalLong remainingMs) {
    /** Returns the progress at this time. */
    public static CopyProgress of(Progress progress, long nowMs) {
      return new CopyProgress(progress.doneBytes(), progress.totalBytes(), progress.bytesPerSecond(nowMs),
          progress.remainingMs(nowMs));
    }
  }

  /** The copies of an attempt are under way, or have ended. */
  record FlushProgress(int dataset, int attempt, CopyProgress copied) implements Event {}

  /** Files of this node's ranks are on their way from the prefix directory, or are here. */
  record FetchProgress(int dataset, CopyProgress copied) implements Event {}

  /** The dataset is in the prefix directory, whole and durable. */
  record FlushDone(int dataset, int attempt, long bytes, long flushUs) implements Event {}

  /** One attempt has failed; it may be tried again. */
  record FlushFailed(int dataset, int attempt, Fault fault, String cause) implements Event {}

  /** Not tried again by this leader; the cached copy stays. */
  record FlushGivenUp(int dataset, int attempt, Fault fault, String cause, long flushUs) implements Event {}

  /** Restarts begin with this checkpoint, because the application has said so. */
  record RestartPoint(int dataset, String name) implements Event {}

  /**
   * The dataset is not known any more, because the application has said so.
   *
   * @param deleted whether its files in the prefix directory are gone too
   */
  record DatasetDropped(int dataset, String name, boolean deleted) implements Event {}

  /** Its files are deleted from the prefix directory, by retention or by a purge at run begin. */
  record PrefixDeleted(int dataset, String name) implements Event {}

  /** The checkpoint was read too often without progress: restarts use another one if there is any. */
  record Quarantined(int dataset, String name, String cause) implements Event {}

  /** This node holds the dataset no more. */
  record Evicted(int dataset) implements Event {}

  /** The files of a rank differ from their checksums, and count as lost. */
  record CorruptFound(int dataset, String about, int rank) implements Event {}

  /**
   * The scrub has found a part of a node's cache that is not what it was; it counts as lost.
   *
   * @param about the node
   * @param rank whose files, or which has written the redundancy; 0 for a filemap
   */
  record DamageFound(int dataset, String about, int rank, HeldPart part, String cause) implements Event {}

  /** It is what it was. */
  record DamageRepaired(int dataset, String about, int rank, HeldPart part, long repairUs) implements Event {}

  /** It cannot be repaired now; told once for each fault. */
  record DamageStays(int dataset, String about, int rank, HeldPart part, Fault fault, String cause)
      implements Event {}

  /** A node has read all that it holds of a dataset. @param found damaged parts in this look */
  record ScrubDone(int dataset, String about, long bytes, int found, long scrubUs) implements Event {}

  /** Every byte of a published dataset was read. @param about its prefix directory. @param bad ranks with damage */
  record PublishedVerified(int dataset, String about, long bytes, int bad, long verifyUs) implements Event {}

  /** A published dataset is damaged; restarts pass it over. @param about its prefix directory */
  record PublishedDamaged(int dataset, String about, String cause) implements Event {}

  /** A rank's call was answered with a fault. */
  record CallFailed(String verb, Fault fault) implements Event {}
}
