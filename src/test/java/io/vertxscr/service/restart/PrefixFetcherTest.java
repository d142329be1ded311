package io.vertxscr.service.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.flush.PrefixTokens;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: an earlier leader takes out of the index and marks in it only what it means. Method: two leaders that both
 * believe in themselves, in virtual time, on a disk in memory.
 */
class PrefixFetcherTest {
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final FaultyDisk disk = new FaultyDisk();
  private final LocalFiles files = new LocalFiles(disk.system());
  private final PrefixPaths paths = new PrefixPaths(disk.directory("/p"));
  private final Loop loop = time.loop(files);
  private final PrefixTokens tokens = new PrefixTokens(
      loop, null, new OneNode(), AdmittedPrefixes.of(loop, paths.prefix().toString()));
  private final PrefixFetcher fetcher =
      new PrefixFetcher(loop, null, AdmittedPrefixes.of(loop, paths.prefix().toString()), tokens::with, () -> TIME);
  private final LockUser other = new LockUser("n2", new LocalFiles(disk.system()), Clock.systemUTC());

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private void list(int id, String name, long createdUs) {
    DatasetDescriptor dataset = new DatasetDescriptor(id, name, DatasetFlags.CHECKPOINT, id, createdUs,
        new Job("u", "j", "1", "c"), DatasetDescriptor.Totals.NONE);
    index().update(index -> index.put(Index.Entry.flushed(dataset, true, TIME)));
  }

  private PrefixIndex index() {
    return new PrefixIndex(paths, other);
  }

  private Index.Entry listed(int id) {
    return index().read().index().find(id).orElseThrow();
  }

  private void takesOver() {
    PrefixToken mine = time.await(loop.call(() ->
        tokens.with(paths.prefix().toString(), Future::succeededFuture))).result();
    assertThat(mine.epoch()).isPositive();
  }

  private void otherTakesOver() {
    PrefixFence.takeOver(paths, other, "n2", PrefixToken.id(7));
  }

  private Future<List<Integer>> withdraw(String name, boolean withFiles) {
    return time.await(loop.call(() -> fetcher.withdraw(paths.prefix().toString(), name, withFiles)));
  }

  @Test
  void anEarlierLeaderDoesNotTakeOutWhatTheNewerOneHasWrittenUnderTheName() {
    list(1, "a", 5);
    takesOver();
    otherTakesOver();
    list(2, "a", 6);
    for (boolean withFiles : new boolean[] {false, true}) {
      assertThat(Fault.of(withdraw("a", withFiles).cause())).isEqualTo(Fault.BUSY);
      assertThat(listed(2).name()).isEqualTo("a");
    }
  }

  @Test
  void theNewestLeaderTakesOutWhatIsThereAndNeedsNoTokenWhereNothingIs() {
    list(1, "a", 5);
    assertThat(withdraw("b", true).result()).isEmpty();
    assertThat(paths.leaderFile()).doesNotExist();
    assertThat(withdraw("a", false).result()).containsExactly(1);
    assertThat(index().read().index().entries()).isEmpty();
  }

  @Test
  void aMarkIsForTheDatasetThatWasReadAndForNoOtherOfItsId() {
    list(1, "a", 5);
    for (long createdUs : new long[] {4, 5}) {
      time.await(loop.call(() -> fetcher.markFailed(paths.prefix().toString(), new DatasetKey(1, createdUs))));
      assertThat(listed(1).restartable()).as("created %d", createdUs).isEqualTo(createdUs != 5);
    }
  }
}
