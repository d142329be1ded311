package io.vertxscr.service.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.flow.flush.Leases.Share;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.ShareReply;
import io.vertxscr.protocol.node.flush.ShareRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.VirtualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: limited copies keep to their rate, use it up, and hold no thread while they wait. Method: virtual time, in
 * which a job that waited would never end; copies that write nothing but a note.
 */
class PacedCopiesTest {
  private static final long SEED = Long.getLong("seed", 7);
  private static final long PIECE = Limits.PIECE_BYTES;

  private final VirtualTime time = new VirtualTime(new Random(SEED));
  private final Loop loop = time.loop();
  private final List<Written> written = new ArrayList<>();
  private final List<Integer> asked = new ArrayList<>();
  private Share share;
  private int open;
  private int jobs;

  /** A piece. */
  private record Written(long atNs, int bytes) {}

  /** The leader gives everybody the same share. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      assertThat(((ShareRequest) request).need().bytes()).isNotNegative();
      asked.add(((ShareRequest) request).datasetId());
      return Future.succeededFuture(answer.cast(new ShareReply(Optional.of(share), false)));
    }

    @Override
    public void onlyLeader(String leader) {}
  }

  /** A file of so many bytes; fails after {@code failAt} of them. */
  private final class Notes implements ResumableCopy {
    private final Meter meter;
    private final long failAt;
    private long left;
    private long passed;
    private boolean begun;

    Notes(Meter meter, long bytes, long failAt) {
      this.meter = meter;
      this.left = bytes;
      this.failAt = failAt;
    }

    @Override
    public boolean resume() {
      jobs++;
      open += begun ? 0 : 1;
      begun = true;
      while (left > 0) {
        if (!meter.admits(Math.min(PIECE, left))) {
          return false;
        }
        if (passed >= failAt) {
          throw new ScrException(Fault.IO, "no more");
        }
        int bytes = (int) Math.min(PIECE, left);
        meter.passing(bytes);
        written.add(new Written(loop.nanoTime(), bytes));
        left -= bytes;
        passed += bytes;
      }
      return true;
    }

    @Override
    public void close() {
      open -= begun ? 1 : 0;
      begun = false;
    }
  }

  private Extent extent(long bytes, long failAt) {
    return new Extent("copy " + bytes, bytes, meter -> new Notes(meter, bytes, failAt));
  }

  private PacedCopies copies(boolean background, List<Extent> extents) {
    return new PacedCopies(loop, new Bus(), "a", new PrefixCopies.Attempt(3, 1, background), extents);
  }

  private List<Extent> files(int count, long bytes) {
    return IntStream.range(0, count).mapToObj(_ -> extent(bytes, Long.MAX_VALUE)).toList();
  }

  /** Their identities' order is another one in each process, and no seed would replay. */
  @Test
  void copiesYieldInTheOrderInWhichTheyBegan() {
    share = new Share(0, 0, 500);
    PrefixCopies all = new PrefixCopies(loop, new Bus(), "a", null, null);
    List<Integer> datasets = IntStream.rangeClosed(1, 12).boxed().toList();
    datasets.forEach(id -> all.copy(new PrefixCopies.Attempt(id, 1, true), null, List.of(), files(1, PIECE)));
    time.runUntil(() -> asked.size() == datasets.size(), Duration.ofSeconds(1));
    asked.clear();
    all.standBack();
    time.runUntil(() -> asked.size() == datasets.size(), Duration.ofSeconds(1));
    assertThat(asked).isEqualTo(datasets);
  }

  /** A job may be done before anybody waits for it. */
  @Test
  void copiesMayEndAtOnceWhenThePhaseIsOver() {
    share = new Share(PacedCopies.MAX_WRITERS, Leases.UNLIMITED, 500);
    Loop swift = (Loop) Proxy.newProxyInstance(Loop.class.getClassLoader(), new Class<?>[] {Loop.class},
        (_, method, arguments) -> method.getName().equals("patiently")
            ? Future.succeededFuture(((Callable<?>) arguments[1]).call()) : method.invoke(loop, arguments));
    PrefixCopies all = new PrefixCopies(swift, new Bus(), "a", null, null);
    all.standBack();
    for (int id = 1; id <= 3; id++) {
      all.copy(new PrefixCopies.Attempt(id, 1, true), null, List.of(), files(1, PIECE));
    }
    time.runUntil(() -> asked.size() >= 3, Duration.ofSeconds(1));
    assertThat(written).as("while they stand back").isEmpty();
    all.goOn();
    time.runUntil(() -> written.size() == 3, Duration.ofSeconds(1));
    assertThat(written).hasSize(3);
  }

  @Test
  void aLimitIsHeldAndUsedUpInAnyTwoSeconds() {
    for (int writers = 1; writers <= PacedCopies.MAX_WRITERS; writers++) {
      long rate = 20_000_000;
      share = new Share(writers, rate, 500);
      written.clear();
      long begin = loop.nanoTime();
      Future<Void> done = time.await(loop.call(copies(true, files(40, 5_000_000))::run));
      assertThat(done.succeeded()).as("with seed %d: %s", SEED, done.cause()).isTrue();
      assertThat(written.stream().mapToLong(Written::bytes).sum()).isEqualTo(200_000_000);
      assertThat(open).isZero();
      long end = loop.nanoTime();
      for (long from = begin; from + 2_000_000_000L < end; from += 100_000_000) {
        long since = from;
        long bytes = written.stream().filter(piece -> piece.atNs >= since && piece.atNs < since + 2_000_000_000L)
            .mapToLong(Written::bytes).sum();
        assertThat(bytes / 2.0).as("%d writers, seed %d", writers, SEED).isBetween(0.95 * rate, 1.05 * rate);
      }
    }
  }

  @Test
  void copiesWithoutALimitTakeOneJobForAFile() {
    share = new Share(4, Leases.UNLIMITED, 500);
    time.await(loop.call(copies(true, files(10, 50_000_000))::run));
    assertThat(jobs).isEqualTo(10);
  }

  @Test
  void whileAPhaseHasPriorityNoJobRunsAndAfterItTheCopiesGoOn() {
    share = new Share(2, 20_000_000, 500);
    PacedCopies copies = copies(true, files(2, 10_000_000));
    Future<Void> done = loop.call(copies::run);
    assertThat(time.runUntil(() -> jobs > 6, Duration.ofSeconds(5))).isTrue();
    copies.yieldUntil(loop.nanoTime() + Duration.ofSeconds(60).toNanos());
    time.runUntil(() -> false, Duration.ofMillis(200));
    int before = jobs;
    time.runUntil(() -> false, Duration.ofSeconds(30));
    assertThat(jobs).isEqualTo(before);
    assertThat(open).isEqualTo(2);
    copies.yieldUntil(loop.nanoTime());
    assertThat(time.runUntil(done::succeeded, Duration.ofSeconds(5))).isTrue();
  }

  @Test
  void pausedCopiesAreEndedAndClosed() {
    share = new Share(3, 1_000_000, 500);
    PacedCopies copies = copies(true, files(3, 10_000_000));
    Future<Void> done = loop.call(copies::run);
    assertThat(time.runUntil(() -> open == 3, Duration.ofSeconds(5))).isTrue();
    copies.end(new ScrException(Fault.STOPPING, "the node stops"));
    assertThat(time.runUntil(done::failed, Duration.ofSeconds(1))).isTrue();
    assertThat(done.cause()).hasMessage("the node stops");
    assertThat(open).isZero();
  }

  @Test
  void afterAFailureTheOthersEndTheirFilesAtTheirRateAndNoFurtherOneIsBegun() {
    share = new Share(2, 10_000_000, 500);
    List<Extent> all = new ArrayList<>(List.of(extent(10_000_000, 2_000_000)));
    all.addAll(files(3, 10_000_000));
    Future<Void> done = time.await(loop.call(copies(true, all)::run));
    assertThat(done.cause()).hasMessage("no more");
    assertThat(open).isZero();
    assertThat(written.stream().mapToLong(Written::bytes).sum()).isBetween(12_000_000L, 13_000_000L);
    assertThat(jobs).as("none that finds nothing to do").isLessThan(60);
  }
}
