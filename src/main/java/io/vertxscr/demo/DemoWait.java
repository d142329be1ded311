package io.vertxscr.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Prints what the demo waits for: at once, and every few seconds until it is closed. */
final class DemoWait implements AutoCloseable {
  private static final long EVERY_MS = 5_000;

  private final CountDownLatch over = new CountDownLatch(1);

  /** @param what is asked on a thread of its own, each time */
  DemoWait(DemoProgress progress, Supplier<String> what) {
    this(progress, what, EVERY_MS);
  }

  DemoWait(DemoProgress progress, Supplier<String> what, long everyMs) {
    progress.line("waiting for " + what.get());
    Thread.ofPlatform().daemon().name("scr-demo-wait").start(() -> repeat(progress, what, everyMs));
  }

  private void repeat(DemoProgress progress, Supplier<String> what, long everyMs) {
    try {
      while (!over.await(everyMs, TimeUnit.MILLISECONDS)) {
        progress.line("still waiting for " + what.get());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    over.countDown();
  }
}
