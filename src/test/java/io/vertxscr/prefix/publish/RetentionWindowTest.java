package io.vertxscr.prefix.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: no window deletes what a restart needs. Method: all indexes of up to five datasets, each of seven kinds, with
 * each of them or none current, and windows of one to three.
 */
@Execution(ExecutionMode.CONCURRENT)
class RetentionWindowTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 12, 0);
  private static final int MOST_DATASETS = 5;
  private static final int MOST_KEPT = 3;

  private enum Kind { GOOD, QUARANTINED, FAILED, INCOMPLETE, OUTPUT, BOTH, NONE }

  private static Index.Entry entry(int id, Kind kind) {
    DatasetFlags flags = DatasetFlags.ofBits(kind == Kind.OUTPUT ? 2 : kind == Kind.BOTH ? 3 : 1);
    DatasetDescriptor descriptor = new DatasetDescriptor(
        id, "d" + id, flags, id, id, new Job("u", "j", "1", "c"), Totals.NONE);
    return new Index.Entry(descriptor, kind != Kind.INCOMPLETE, Optional.of(TIME), List.of(),
        kind == Kind.FAILED ? Optional.of(TIME) : Optional.empty());
  }

  @Test
  void whatGoesIsReplacedAndNeitherOutputNorCurrent() {
    int indexes = (int) Math.pow(Kind.values().length, MOST_DATASETS);
    for (int code = 0; code < indexes; code++) {
      List<Index.Entry> entries = new ArrayList<>();
      Set<Integer> quarantined = new HashSet<>();
      for (int id = 1, rest = code; id <= MOST_DATASETS; id++, rest /= Kind.values().length) {
        Kind kind = Kind.values()[rest % Kind.values().length];
        if (kind != Kind.NONE) {
          entries.add(entry(id, kind));
        }
        if (kind == Kind.QUARANTINED) {
          quarantined.add(id);
        }
      }
      for (int keep = 1; keep <= MOST_KEPT; keep++) {
        for (int current = 0; current <= entries.size(); current++) {
          Optional<String> name = current == 0 ? Optional.empty() : Optional.of(entries.get(current - 1).name());
          check(new Index(name, entries), keep, quarantined);
        }
      }
    }
  }

  private static void check(Index index, int keep, Set<Integer> quarantined) {
    List<Index.Entry> surplus =
        RetentionWindow.surplus(index, keep, dataset -> !quarantined.contains(dataset.id()));
    for (Index.Entry gone : surplus) {
      long newer = index.entries().stream().filter(Index.Entry::restartable)
          .filter(entry -> entry.id() > gone.id() && !quarantined.contains(entry.id())).count();
      if (newer < keep || gone.descriptor().flags().output() || index.current().equals(Optional.of(gone.name()))) {
        throw new AssertionError(gone + " must stay with a window of " + keep + ": " + index);
      }
    }
    for (Index.Entry entry : index.entries()) {
      if (entry.replacedBy().isEmpty() && !index.current().equals(Optional.of(entry.name()))) {
        Index before = new Index(index.current(), index.entries().stream().filter(other -> other != entry).toList());
        if (surplus.contains(entry) != RetentionWindow.isBeyond(
            before, keep, dataset -> !quarantined.contains(dataset.id()), entry.descriptor())) {
          throw new AssertionError(entry + " comes to " + keep + " that are kept of " + before);
        }
      }
    }
    long good = index.entries().stream().filter(entry -> !surplus.contains(entry)).filter(Index.Entry::restartable)
        .filter(entry -> !quarantined.contains(entry.id()) && !entry.descriptor().flags().output()
            && !index.current().equals(Optional.of(entry.name()))).count();
    assertThat(good).as("checkpoints beside output and current, %s", index).isLessThanOrEqualTo(keep);
  }

  @Test
  void aWindowLargerThanTheIndexDeletesNothing() {
    Index index = new Index(Optional.empty(), List.of(entry(1, Kind.FAILED), entry(2, Kind.GOOD)));
    assertThat(RetentionWindow.surplus(index, 2, _ -> true)).isEmpty();
    assertThat(RetentionWindow.surplus(index, 1, _ -> true)).extracting(Index.Entry::id).containsExactly(1);
  }
}
