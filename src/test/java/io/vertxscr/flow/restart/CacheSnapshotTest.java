package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Job;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: queries see every copy of every node, and tell datasets of two histories with one id apart. */
class CacheSnapshotTest {
  private static final RedundancyDescriptor PLAIN = new RedundancyDescriptor(
      new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(Scheme.SINGLE, 8), false), 0);

  private static Inventory.Dataset copy(int id, long createdUs, String prefix, FlushState flush) {
    return new Inventory.Dataset(new DatasetDescriptor(id, "c" + id, DatasetFlags.CHECKPOINT, id, createdUs,
        new Job("u", "j", "1", "c"), new DatasetDescriptor.Totals(1, 1)), new Origin(prefix, 2), "/tmp", PLAIN, flush,
        List.of());
  }

  private final Inventory.Dataset five = copy(5, 500, "/p", FlushState.WANTED);
  private final Inventory.Dataset fiveDone = copy(5, 500, "/p", FlushState.DONE);
  private final Inventory.Dataset fiveOfALaterHistory = copy(5, 900, "/q", FlushState.DONE);
  private final Inventory.Dataset four = copy(4, 400, "/q", FlushState.NOT_WANTED);
  private final CacheSnapshot snapshot = CacheSnapshot.of(List.of(new Inventory("a", List.of(five)),
      new Inventory("b", List.of()), new Inventory("c", List.of(four, fiveDone)),
      new Inventory("d", List.of(fiveOfALaterHistory))));

  @Test
  void copiesOfOneDatasetAreFoundOnAllItsNodesWhateverTheirFlushState() {
    assertThat(snapshot.copies()).containsExactly(five, four, fiveDone, fiveOfALaterHistory);
    assertThat(snapshot.copies(five.key())).containsExactly(five, fiveDone);
    assertThat(snapshot.holders(five.key())).extracting(Inventory::node).containsExactly("a", "c");
    assertThat(snapshot.holders(fiveOfALaterHistory.key())).extracting(Inventory::node).containsExactly("d");
    assertThat(snapshot.copiesFor("/q")).containsExactly(four, fiveOfALaterHistory);
  }

  @Test
  void anIdFindsItsFirstCopyAndSeveralComeAscending() {
    assertThat(snapshot.find(5)).contains(five);
    assertThat(snapshot.find(6)).isEmpty();
    assertThat(snapshot.byId(_ -> true)).containsExactly(
        Map.entry(4, four), Map.entry(5, five));
    assertThat(snapshot.byId(copy -> copy.flush() == FlushState.DONE).values()).containsExactly(fiveDone);
    assertThat(CacheSnapshot.of(List.of()).copies()).isEmpty();
  }
}
