package io.vertxscr.model;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All descriptors of a run.
 *
 * @param checkpoints by index, without a gap; one that is enabled has interval 1
 * @param output index of the one for datasets with the OUTPUT flag, where there is such a one
 * @param stores all that the checkpoints use, and perhaps more
 * @param compressions by index, for the checkpoints whose files are compressed when they are flushed
 */
public record Descriptors(List<CheckpointDescriptor> checkpoints, OptionalInt output, List<StoreDescriptor> stores,
    GroupDescriptors groups, SortedMap<Integer, Compression> compressions) {
  /** Descriptors that compress nothing. */
  public Descriptors(List<CheckpointDescriptor> checkpoints, OptionalInt output, List<StoreDescriptor> stores,
      GroupDescriptors groups) {
    this(checkpoints, output, stores, groups, Collections.emptySortedMap());
  }

  public Descriptors {
    compressions = Collections.unmodifiableSortedMap(new TreeMap<>(compressions));
    checkpoints = List.copyOf(checkpoints);
    stores = List.copyOf(stores);
    for (int i = 0; i < checkpoints.size(); i++) {
      CheckpointDescriptor checkpoint = checkpoints.get(i);
      require(checkpoint.index() == i, "checkpoint descriptors must be numbered from 0 without a gap, CKPT=" + i
          + " is missing");
      require(stores.stream().anyMatch(store -> store.base().equals(checkpoint.storeBase())), "CKPT=" + i
          + ": there is no store " + checkpoint.storeBase() + " that is enabled;"
          + " there are " + stores.stream().map(StoreDescriptor::base).toList());
    }
    require(checkpoints.stream().anyMatch(c -> c.enabled() && c.interval() == 1),
        "no enabled checkpoint descriptor has INTERVAL=1, which some checkpoints need: give it to one");
    require(output.isEmpty() || checkpoints.get(output.getAsInt()).enabled(), "CKPT="
        + output.orElse(0) + " is for OUTPUT, but not enabled");
  }

  /** One descriptor for everything. */
  public static Descriptors of(Redundancy redundancy, StoreDescriptor store) {
    return new Descriptors(
        List.of(new CheckpointDescriptor(0, true, 1, GroupDescriptors.NODE, store.base(), redundancy, false)),
        OptionalInt.empty(), List.of(store), GroupDescriptors.BUILT_IN);
  }

  /** The enabled one with the largest interval that divides the checkpoint id; of equal ones the first. */
  public CheckpointDescriptor descriptorFor(int checkpointId) {
    return checkpoints.stream()
        .filter(c -> c.enabled() && checkpointId % c.interval() == 0)
        .max(Comparator.comparingInt(CheckpointDescriptor::interval)
            .thenComparing(Comparator.comparingInt(CheckpointDescriptor::index).reversed()))
        .orElseThrow();
  }

  /**
   * Returns the descriptor of a dataset. OUTPUT uses the descriptor for output if there is one, else a checkpoint that
   * of its id, and a dataset that is no checkpoint that of interval 1.
   */
  public CheckpointDescriptor descriptorFor(DatasetFlags flags, int checkpointId) {
    if (flags.output() && output.isPresent()) {
      return checkpoints.get(output.getAsInt());
    }
    return descriptorFor(flags.checkpoint() ? checkpointId : 1);
  }

  /** Returns the compression of datasets with this descriptor, if any. */
  public Optional<Compression> compression(CheckpointDescriptor how) {
    return Optional.ofNullable(compressions.get(how.index()));
  }

  /** Returns the descriptors with other groups. */
  public Descriptors with(GroupDescriptors other) {
    return new Descriptors(checkpoints, output, stores, other, compressions);
  }

  /** The store with this base. */
  public StoreDescriptor store(String base) {
    return stores.stream().filter(store -> store.base().equals(base)).findFirst().orElseThrow(() ->
        new ScrException(Fault.BAD_CONFIGURATION, "there is no store " + base));
  }

  /** The stores that some checkpoint is cached in. */
  public List<StoreDescriptor> caches() {
    return checkpoints.stream().filter(how -> how.enabled() && !how.bypass()).map(CheckpointDescriptor::storeBase)
        .distinct().map(this::store).toList();
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new ScrException(Fault.BAD_CONFIGURATION, message);
    }
  }
}
