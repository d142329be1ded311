package io.vertxscr.node;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells when a daemon can no longer do its work, so that it ends itself. A member that stays but does nothing holds up
 * all others; one that is gone is replaced.
 *
 * <p>Its loop has not turned for {@link #MOST_TICKS}, or its storage has not answered for as long while it leads. Ticks
 * are counted, not time: a process that was stopped as a whole has done nothing wrong. {@link #tick} is for one thread,
 * which is none of the daemon's others.
 */
final class SelfWatch {
  /** Between two ticks. */
  static final long TICK_MS = 1_000;
  /** Beyond the 30 s after which others take it for lost: they have ended their run by then. */
  static final int MOST_TICKS = 60;

  private final Consumer<Runnable> loop;
  private final Supplier<OptionalLong> storageSilentMs;
  private final AtomicLong turned = new AtomicLong();
  private volatile long storageMs;
  private volatile Thread thread;
  private long asked;
  private long unanswered;

  /**
   * Watches a loop and its storage.
   *
   * @param loop runs an action on the loop; does not block
   * @param storageSilentMs on the loop: how long its storage has not answered; empty where others need it not
   */
  SelfWatch(Consumer<Runnable> loop, Supplier<OptionalLong> storageSilentMs) {
    this.loop = loop;
    this.storageSilentMs = storageSilentMs;
  }

  /** Looks once more; why the daemon must end, if it must. */
  Optional<String> tick() {
    if (turned.get() == asked) {
      unanswered = 0;
      asked++;
      loop.accept(this::turn);
    } else {
      unanswered++;
    }
    if (unanswered >= MOST_TICKS) {
      return Optional.of("its event loop has not turned for " + unanswered * TICK_MS / 1000 + " s" + where());
    }
    return storageMs < MOST_TICKS * TICK_MS ? Optional.empty()
        : Optional.of("its storage has not answered for " + storageMs / 1000 + " s, and it leads the others");
  }

  private void turn() {
    thread = Thread.currentThread();
    storageMs = storageSilentMs.get().orElse(0);
    turned.incrementAndGet();
  }

  /** What keeps the loop, for people. */
  private String where() {
    Thread hung = thread;
    StackTraceElement[] stack = hung == null ? new StackTraceElement[0] : hung.getStackTrace();
    return stack.length == 0 ? "" : ": it is in " + stack[0];
  }
}
