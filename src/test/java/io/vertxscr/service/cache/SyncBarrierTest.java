package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.service.VirtualTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: nodes hear that a dataset is on stable storage once all of them have said so, never before. */
class SyncBarrierTest {
  private final SyncBarrier barrier = new SyncBarrier(new VirtualTime(new Random(1)).loop());

  private Future<Ack> says(long run, int dataset, String node, String trouble) {
    return barrier.synced(new DatasetSynced(run, new DatasetKey(dataset, 7), node, 3, trouble));
  }

  private static void failed(Future<Ack> answer, Fault fault) {
    assertThat(answer.cause()).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault));
  }

  @Test
  void allNodesMustHaveSaidSoHoweverOftenOneRepeatsItself() {
    Future<Ack> first = says(1, 5, "n1", "");
    Future<Ack> again = says(1, 5, "n1", "");
    Future<Ack> second = says(1, 5, "n2", "");
    says(1, 6, "n3", "");
    assertThat(first.isComplete() || again.isComplete() || second.isComplete()).isFalse();
    assertThat(says(1, 5, "n3", "").succeeded()).isTrue();
    assertThat(first.succeeded() && again.succeeded() && second.succeeded()).isTrue();
    assertThat(says(1, 5, "n2", "").succeeded()).as("a lost answer").isTrue();
  }

  @Test
  void aNodeThatCannotSyncIsNamedToAll() {
    Future<Ack> first = says(1, 5, "n1", "");
    failed(says(1, 5, "n2", "disk on fire"), Fault.IO);
    assertThat(first.cause()).hasMessageContainingAll("n2", "disk on fire");
    failed(says(1, 5, "n3", ""), Fault.IO);
  }

  @Test
  void whoWaitsForARunThatHasLostANodeOrForAnEarlierOneIsToldSo() {
    Future<Ack> first = says(1, 5, "n1", "");
    barrier.nodeLost(1);
    failed(first, Fault.NO_SUCH_DATASET);
    failed(says(1, 5, "n1", ""), Fault.NO_SUCH_DATASET);
    Future<Ack> late = says(2, 6, "n1", "");
    Future<Ack> newest = says(3, 7, "n1", "");
    failed(late, Fault.NO_SUCH_DATASET);
    failed(says(2, 6, "n1", ""), Fault.NO_SUCH_DATASET);
    assertThat(newest.isComplete()).as("no late message of an earlier run ends it").isFalse();
    barrier.begun(3);
    assertThat(newest.isComplete()).as("its own begin, as a new leader hears it").isFalse();
    barrier.nodeLost(2);
    assertThat(newest.isComplete()).as("a node that only an earlier run had").isFalse();
    failed(says(2, 6, "n1", ""), Fault.NO_SUCH_DATASET);
    barrier.begun(4);
    failed(newest, Fault.NO_SUCH_DATASET);
  }

  @Test
  void aLateLossOfAnEarlierRunDoesNotHideThatOfTheLastOne() {
    barrier.nodeLost(5);
    barrier.nodeLost(4);
    failed(says(5, 1, "n1", ""), Fault.NO_SUCH_DATASET);
    failed(says(4, 1, "n1", ""), Fault.NO_SUCH_DATASET);
  }

  @Test
  void whoWaitsAtALeaderThatResignsIsToAskTheNextOne() {
    Future<Ack> waits = says(1, 5, "n1", "");
    says(1, 6, "n1", "");
    says(1, 6, "n2", "");
    says(1, 6, "n3", "");
    barrier.resigned();
    failed(waits, Fault.NOT_LEADER);
    assertThat(says(1, 6, "n2", "").succeeded()).as("a lost answer").isTrue();
    says(1, 5, "n2", "");
    says(1, 5, "n3", "");
    assertThat(says(1, 5, "n1", "").succeeded()).as("it leads again, and is told by all again").isTrue();
  }

  @Test
  void noMoreThanTheLastFewAreKept() {
    Future<Ack> first = says(1, 1, "n1", "");
    for (int id = 2; id <= SyncBarrier.MOST_OPEN + 1; id++) {
      assertThat(first.isComplete()).isFalse();
      says(1, id, "n1", "");
    }
    failed(first, Fault.NO_SUCH_DATASET);
  }
}
