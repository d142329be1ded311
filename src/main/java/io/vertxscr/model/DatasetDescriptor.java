package io.vertxscr.model;

import java.util.Comparator;
import java.util.List;

/**
 * Description of a dataset as a whole (DSET in the files).
 *
 * @param id counts up from 1 with every dataset that the application starts
 * @param name as the application called it, or {@code scr.dataset.<id>}
 * @param checkpointId counts up from 1 with every checkpoint; 0 for pure output
 * @param createdUs microseconds since 1970, by the leader's clock, but later than those of all datasets that were
 *     known when it was created, whatever clocks say; with the id it tells histories apart
 * @param totals files and bytes over all ranks; zero while the dataset is being written
 */
public record DatasetDescriptor(
    int id, String name, DatasetFlags flags, int checkpointId, long createdUs, Job job, Totals totals) {

  /** Oldest first; ids of different histories say nothing of their age. */
  public static final Comparator<DatasetDescriptor> BY_AGE =
      Comparator.comparingLong(DatasetDescriptor::createdUs).thenComparingInt(DatasetDescriptor::id);

  /** Files and their bytes over all ranks. */
  public record Totals(long files, long bytes) {
    public static final Totals NONE = new Totals(0, 0);

    /** Of all of them together. */
    public static Totals sum(List<Totals> all) {
      return new Totals(all.stream().mapToLong(Totals::files).sum(), all.stream().mapToLong(Totals::bytes).sum());
    }
  }

  public DatasetDescriptor {
    if (id < 1) {
      throw new ScrException(Fault.BAD_REQUEST, "dataset id " + id + ": ids count from 1");
    }
    Names.dataset(name);
  }

  /** Identity of the dataset. */
  public DatasetKey key() {
    return new DatasetKey(id, createdUs);
  }

  /** Whether it speaks of the same dataset: not of another history's that has the same id. */
  public boolean sameAs(DatasetDescriptor other) {
    return key().equals(other.key()) && name.equals(other.name);
  }

  /** Returns the dataset with its totals. */
  public DatasetDescriptor with(Totals known) {
    return new DatasetDescriptor(id, name, flags, checkpointId, createdUs, job, known);
  }
}
