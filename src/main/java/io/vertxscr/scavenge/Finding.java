package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.scavenge.ScavengeCopy.NodeCopy;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * One result of the work on a prefix directory without daemons, as a value. Work of hours tells each as it is known, so
 * that a failure in its middle hides nothing; what it returns at its end says whether all is well.
 */
public sealed interface Finding {
  /** Something about the prefix directory as a whole, in a sentence. */
  record Remark(String sentence) implements Finding {}

  /** Something is wrong with a dataset, in a sentence without its name. */
  record Defect(DatasetDescriptor dataset, String sentence) implements Finding {}

  /** The same, where only its number is known. */
  record DefectById(int dataset, String sentence) implements Finding {}

  /** A later dataset has written over its files: nothing is made of it. */
  record OverwrittenBy(DatasetDescriptor dataset, int by) implements Finding {}

  /** A later dataset has its name: it is not listed. */
  record Superseded(DatasetDescriptor dataset, int by) implements Finding {}

  /** It is in the index, whole. @param rebuilt ranks whose files were made again */
  record Enlisted(DatasetDescriptor dataset, List<Integer> rebuilt) implements Finding {}

  /** Its files have the right sizes, but its entry is marked as failed. */
  record EnlistedButMarked(DatasetDescriptor dataset, List<Integer> rebuilt, Index.Entry entry) implements Finding {}

  /** It is not valid. @param unrecoverable ranks whose files cannot be made again, with the reason */
  record NotWhole(DatasetDescriptor dataset, SortedSet<Integer> missing, SortedMap<Integer, String> unrecoverable)
      implements Finding {}

  /** What a dataset that was listed as valid lacks now. */
  enum Lack { READABLE_MAP, READABLE_SUMMARY, SUMMARY }

  /** It is not valid any more. */
  record Delisted(DatasetDescriptor dataset, Lack lack) implements Finding {}

  /** Nothing was changed of this dataset. */
  record LeftAlone(int dataset, String cause) implements Finding {}

  /** It was not read, because a later dataset has written over its files. */
  record NotRead(DatasetDescriptor dataset, int by) implements Finding {}

  /** Nobody knows whether it is whole, as files cannot be read now. Its mark stays. @param example one, and why */
  record Unread(DatasetDescriptor dataset, int files, String example) implements Finding {}

  /** Files without a recorded checksum were not compared. @param example path of one */
  record NotCompared(DatasetDescriptor dataset, int files, String example) implements Finding {}

  /** Every byte was read. @param bad files that differ. @param allCompared whether each had a checksum */
  record Compared(DatasetDescriptor dataset, long files, long bytes, int bad, boolean allCompared)
      implements Finding {}

  /** Its entry was marked as failed, or is not any more. */
  record MarkChanged(DatasetDescriptor dataset, boolean failed) implements Finding {}

  /** That could not be written. */
  record MarkNotWritten(DatasetDescriptor dataset, boolean failed, String cause) implements Finding {}

  /** It was found good, but a mark stays that no verification has set. */
  record MarkStays(Index.Entry entry) implements Finding {}

  /** A node's part of a dataset was copied. */
  record PartCopied(String node, int dataset, NodeCopy copied, boolean redundant) implements Finding {}

  /** Something of a node's caches cannot be used, in a sentence. */
  record NodeDefect(String node, String sentence) implements Finding {}

  /** The dataset is published and whole: nothing to copy. */
  record NothingToCopy(int dataset) implements Finding {}

  /** The dataset is published and not whole any more: what is copied now repairs it. */
  record CopiedForRepair(int dataset) implements Finding {}

  /** Hosts that gave nothing of a dataset, of so many that were asked. */
  record HostsWithout(HostOutcome outcome, int dataset, List<String> hosts, int asked) implements Finding {}

  /** Result of the copy on a host. */
  enum HostOutcome {
    COPIED,
    /** It was reached, and has nothing of the dataset. */
    NOTHING_THERE,
    /** Treated as dead, with its daemon. */
    NOT_REACHED,
    /** A daemon may be active there: one runs, a disk is full, or the command could not be started. */
    FAILED
  }

  /** Checkpoints that stay in the caches, because a newer one is in the prefix directory. */
  record LeftInCaches(DatasetDescriptor newer, List<DatasetDescriptor> left) implements Finding {}

  /** Nothing waits for a scavenge. @param known whether any dataset of this prefix directory is */
  record NothingToScavenge(boolean known) implements Finding {}
}
