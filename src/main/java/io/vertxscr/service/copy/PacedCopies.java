package io.vertxscr.service.copy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.flush.Leases.Need;
import io.vertxscr.flow.flush.Leases.Share;
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
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The copies of one attempt on one node, as many at once and as fast as the leader allows. It is asked again and again,
 * and so hears how far they have come. On the node's loop.
 */
final class PacedCopies {
  /** Of a node at once: as many as there are threads for them. */
  static final int MAX_WRITERS = Limits.FLUSH_THREADS;
  private static final int ASKS_PER_LEASE = 2;
  private static final long NS_PER_MS = 1_000_000;
  private static final int ASKS_PER_LEASE_WITHOUT_ROOM = 8;

  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final PrefixCopies.Attempt attempt;
  private final Queue<Extent> waiting;
  private final Queue<Running> paused = new ArrayDeque<>();
  private final long totalBytes;
  private final Promise<Void> done;
  private final CopyThrottle gate;
  private final AtomicLong skippedBytes = new AtomicLong();
  private ScrException failure;
  private long timer = -1;
  private long wakeUp = -1;
  private boolean ended;

  PacedCopies(Loop loop, NodeBus bus, String self, PrefixCopies.Attempt attempt, List<Extent> extents) {
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.attempt = attempt;
    this.waiting = new ArrayDeque<>(extents);
    this.totalBytes = extents.stream().mapToLong(Extent::bytes).sum();
    this.done = loop.promise();
    this.gate = new CopyThrottle(loop::nanoTime);
  }

  /** Completes when all are copied, or when one has failed and no other is being copied any more. */
  Future<Void> run() {
    goOn();
    return done.future();
  }

  /** Yields to a phase, except for synchronous copies. */
  void yieldUntil(long endNs) {
    if (attempt.background()) {
      gate.yieldUntil(endNs);
      startMore();
      askSoon(0);
    }
  }

  /** Starts no further file; copies in progress end at their next piece. */
  void end(ScrException cause) {
    failure = failure == null ? cause : failure;
    gate.close(failure);
    startMore();
    goOn();
  }

  private void goOn() {
    if (!ended && waiting.isEmpty() && gate.busy() == 0) {
      ended = true;
      loop.cancel(timer);
      ask();                                              // gives back what it has
      if (failure == null) {
        done.complete();
      } else {
        done.fail(failure);
      }
    } else if (!ended && timer == -1) {
      askSoon(0);
    }
  }

  private void askSoon(long delayMs) {
    loop.cancel(timer);
    if (!ended) {
      timer = loop.after(Math.max(1, delayMs), this::ask);
    }
  }

  private long doneBytes() {
    return gate.passedBytes() + skippedBytes.get();
  }

  private void ask() {
    long askedNs = loop.nanoTime();
    int busy = gate.busy();
    int writers = Math.min(MAX_WRITERS, busy + waiting.size());
    Need need = ended ? new Need(0, 0, 0) : new Need(writers, busy, Math.max(0, totalBytes - doneBytes()));
    ShareRequest question = new ShareRequest(self, attempt.datasetId(), attempt.number(), doneBytes(), need);
    bus.askLeader(NodeVerb.FLUSH_SHARE, question, ShareReply.class)
        .onSuccess(answer -> answered(answer, askedNs))
        .onFailure(unanswered -> {
          if (!ended) {
            end(unanswered instanceof ScrException known ? known
                : new ScrException(Fault.INTERNAL, "the leader of a flush: " + unanswered, unanswered));
          }
        });
  }

  private void answered(ShareReply answer, long askedNs) {
    if (ended) {
      return;
    }
    if (answer.share().isEmpty()) {
      String dataset = "dataset " + attempt.datasetId();
      end(answer.dropped() ? new ScrException(Fault.NO_SUCH_DATASET, dataset + " is being dropped")
          : new ScrException(Fault.NOT_LEADER, "attempt " + attempt.number() + " to flush " + dataset
          + " is over; the leader will ask for another one"));
      return;
    }
    Share share = answer.share().get();
    gate.share(share, askedNs);
    startMore();
    boolean hasRoom = share.writers() > 0 && share.bytesPerSecond() > 0;
    askSoon(share.leaseMs() / (hasRoom ? ASKS_PER_LEASE : ASKS_PER_LEASE_WITHOUT_ROOM));
  }

  private void startMore() {
    if (failure != null) {
      waiting.clear();
    }
    while (!waiting.isEmpty() && gate.enter()) {
      resume(new Running(waiting.remove()));
    }
    resumePaused();
  }

  private void resume(Running copy) {
    loop.patiently(copy.extent.what(), copy::resume).onComplete((ended, failed) -> {
      if (failed == null && !ended) {
        paused.add(copy);
        resumePaused();
        return;
      }
      copy.copy.close();                                  // does nothing, unless its job was refused
      gate.leave();
      if (failed != null && failure == null) {
        failure = failed instanceof ScrException known ? known
            : new ScrException(Fault.INTERNAL, copy.extent.what() + ": " + failed, failed);
      }
      startMore();
      goOn();
    });
  }

  /**
   * Resumes as many copies as may write a piece, the longest waiting first. Once the gate is closed all are resumed, to
   * be told the end.
   */
  private void resumePaused() {
    loop.cancel(wakeUp);
    wakeUp = -1;
    while (!paused.isEmpty()) {
      if (!gate.isClosed() && !paused.element().isAdmitted()) {
        long delayNs = gate.delayNs();
        if (delayNs != Long.MAX_VALUE) {                  // otherwise this is called again when something changes
          wakeUp = loop.after(Math.max(1, Math.ceilDiv(delayNs, NS_PER_MS)), this::resumePaused);
        }
        return;
      }
      resume(paused.remove());
    }
  }

  /** A file that is being copied: by a job, or paused between two. */
  private final class Running implements Meter {
    private final Extent extent;
    private final ResumableCopy copy;
    private long wantedBytes;
    private long admittedBytes;
    private long doneBytes;

    Running(Extent extent) {
      this.extent = extent;
      this.copy = extent.begin(this);
    }

    /** On the loop, while it is paused: whether its next piece may pass. */
    boolean isAdmitted() {
      return admits(wantedBytes);
    }

    /** On a transfer thread: copies what may pass. @return whether all is copied */
    boolean resume() {
      boolean isPaused = false;
      try {
        isPaused = !copy.resume();
        if (!isPaused) {
          skippedBytes.addAndGet(extent.bytes() - doneBytes);  // was there already
        }
        return !isPaused;
      } finally {
        gate.giveBack(admittedBytes);
        admittedBytes = 0;
        if (!isPaused) {
          copy.close();
        }
      }
    }

    @Override
    public boolean admits(long bytes) {
      if (admittedBytes == 0) {
        wantedBytes = bytes;
        admittedBytes = gate.admits(bytes) ? bytes : 0;
      }
      return admittedBytes > 0;
    }

    @Override
    public void passing(int bytes) {
      gate.passed(bytes, admittedBytes);
      admittedBytes = 0;
      doneBytes += bytes;
    }

    @Override
    public void saved(long bytes) {
      skippedBytes.addAndGet(bytes);
      doneBytes += bytes;
    }
  }
}
