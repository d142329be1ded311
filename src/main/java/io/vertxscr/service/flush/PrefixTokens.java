package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.Recent;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens by which this node, as the leader, changes prefix directories (docs/flows/fencing.md). Taken at the first
 * change of a leadership or run, and again when an earlier one may still be at work for a step that has failed.
 *
 * <p>Two leaders that both believe in themselves, on the sides of a cut, would take over from each other without end.
 * So who is refused waits before it takes over again, twice as long each time: one of them gets through. On the node's
 * loop.
 */
public final class PrefixTokens {
  private static final Logger LOG = LoggerFactory.getLogger(PrefixTokens.class);
  private static final long FIRST_PAUSE_MS = 1000;
  private static final long LONGEST_PAUSE_MS = 600_000;
  private static final long NS_PER_MS = 1_000_000;

  private final Loop loop;
  private final Membership membership;
  private final Prefixes prefixes;
  private final LockTrials trials;
  private final Recent<String, Future<PrefixToken>> held = new Recent<>(Limits.MAX_PREFIXES);
  private final Recent<String, Pause> pauses = new Recent<>(Limits.MAX_PREFIXES);

  /** How long this leader leaves a directory to the one that took it over. */
  private record Pause(long lengthMs, long endNs) {}

  /** Takes no directory over yet. */
  public PrefixTokens(Loop loop, NodeBus bus, Membership membership, Prefixes prefixes) {
    this.loop = loop;
    this.membership = membership;
    this.prefixes = prefixes;
    this.trials = new LockTrials(loop, bus, membership, prefixes);
  }

  /** This node has become the leader: what it held in an earlier leadership is worth nothing. */
  public void tookOver() {
    held.clear();
    pauses.clear();
    trials.clear();
  }

  /**
   * A run begins there: despite other leaders it is this one's from now on. Best effort. A token that is still
   * the newest stays: flushes that go on have it.
   */
  Future<Void> begin(String prefix) {
    pauses.remove(prefix);
    return loop.prefix().within(PrefixJobs.PATIENCE_AT_BEGIN, isNewest(prefix).compose(isNewest -> {
      if (!isNewest) {
        held.remove(prefix);
      }
      return hold(prefix);
    })).<Void>mapEmpty().otherwise(failure -> {
      LOG.warn("{} is taken over at the first flush: {}", prefix, failure.getMessage());
      return null;
    });
  }

  private Future<Boolean> isNewest(String prefix) {
    Optional<Future<PrefixToken>> present = present(prefix);
    PrefixPaths paths = prefixes.open(prefix).paths();
    return present.isEmpty() ? Future.succeededFuture(false)
        : present.get().compose(token -> loop.prefix().run("read " + paths.leaderFile(), () ->
            PrefixFence.newest(paths).filter(token::equals).isPresent())).otherwise(false);
  }

  private Optional<Future<PrefixToken>> present(String prefix) {
    return held.get(prefix).filter(taken -> !taken.failed());
  }

  /**
   * The token, taken now where this leader has none. Fails with BUSY while it leaves the directory to another, and with
   * IO where locks do not exclude between nodes.
   */
  Future<PrefixToken> hold(String prefix) {
    Optional<Future<PrefixToken>> present = present(prefix);
    if (present.isPresent()) {
      return present.get();
    }
    long pauseNs = pauses.get(prefix).map(pause -> pause.endNs - loop.nanoTime()).orElse(0L);
    if (pauseNs > 0) {
      return Future.failedFuture(new ScrException(Fault.BUSY, prefix + " was taken over by another leader; this one "
          + "tries again in " + pauseNs / NS_PER_MS + " ms"));
    }
    String node = membership.self().name();
    String id = PrefixToken.id(loop.random().nextLong());
    OpenPrefix directory = prefixes.open(prefix);
    Future<PrefixToken> taken = trials.pass(prefix).compose(_ -> prefixes.locked().run("take over " + prefix, () ->
        PrefixFence.takeOver(directory.paths(), directory.user(), node, id)));
    held.put(prefix, taken);
    return taken;
  }

  /** A step has failed in which nodes give names. The next one is of a new epoch, so that a late node does nothing. */
  void renew(String prefix) {
    held.remove(prefix);
  }

  /** A dataset has arrived. */
  void succeeded(String prefix) {
    pauses.remove(prefix);
  }

  /** Changes a prefix directory by the token. Fails as {@link #failed} says. */
  public <T> Future<T> with(String prefix, Function<PrefixToken, Future<T>> change) {
    return hold(prefix).compose(change).recover(failure -> failed(prefix, failure));
  }

  /**
   * What a failure means for the flush. TAKEN_OVER and NOT_LEADER are NOT_LEADER if somebody else leads; else both do,
   * on the sides of a cut or in two jobs, and it is BUSY: the flush waits, its cached copy too. It is BUSY as well, but
   * nobody waits for another leader, where this one's own newer token has refused an older one.
   */
  <T> Future<T> failed(String prefix, Throwable failure) {
    if (!isOfAnotherLeader(failure)) {
      return Future.failedFuture(failure);
    }
    return isNewest(prefix).compose(own -> own ? Future.failedFuture(new ScrException(Fault.BUSY,
        failure.getMessage() + "; that is this leader's own, since a step of another dataset has failed"))
        : refused(prefix, failure));
  }

  /** Whether a step was refused as that of a leader who leads no more, here or in the directory. */
  static boolean isOfAnotherLeader(Throwable failure) {
    return Fault.of(failure) == Fault.TAKEN_OVER || Fault.of(failure) == Fault.NOT_LEADER;
  }

  private <T> Future<T> refused(String prefix, Throwable failure) {
    held.remove(prefix);
    if (!membership.isLeader()) {
      return Future.failedFuture(new ScrException(Fault.NOT_LEADER, failure.getMessage(), failure));
    }
    long last = pauses.get(prefix).map(Pause::lengthMs).orElse(FIRST_PAUSE_MS / 2);
    long lengthMs = Math.min(2 * last, LONGEST_PAUSE_MS);
    long pauseMs = lengthMs + loop.random().nextLong(lengthMs);
    pauses.put(prefix, new Pause(lengthMs, loop.nanoTime() + pauseMs * NS_PER_MS));
    return Future.failedFuture(new ScrException(Fault.BUSY, failure.getMessage() + "; by the members that this node "
        + "sees it is the leader: it takes over again in " + pauseMs + " ms"));
  }
}
