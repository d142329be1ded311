package io.vertxscr.service.restart;

import io.vertxscr.flow.flush.Progress;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.service.Event.CopyProgress;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Progress meter of a fetch. Called on the copying threads, reports on the node's loop at intervals. */
final class FetchMeter implements Meter {
  private static final long NS_PER_MS = 1_000_000;

  private final int dataset;
  private final Loop loop;
  private final Observer observer;
  private final Progress progress;
  private final AtomicLong passedBytes = new AtomicLong();
  private final AtomicBoolean onItsWay = new AtomicBoolean();

  /** On the node's loop. @param bytes of all files together, as far as the map says them */
  FetchMeter(int dataset, long bytes, Loop loop, Observer observer) {
    this.dataset = dataset;
    this.loop = loop;
    this.observer = observer;
    this.progress = new Progress(bytes, nowMs());
  }

  private long nowMs() {
    return loop.nanoTime() / NS_PER_MS;
  }

  @Override
  public void passing(int bytes) {
    passedBytes.addAndGet(bytes);
    if (onItsWay.compareAndSet(false, true)) {            // at most one word waits on the loop
      loop.later(this::note);
    }
  }

  private void note() {
    onItsWay.set(false);
    progress.note("", passedBytes.get(), nowMs());
    if (progress.isDue(nowMs())) {
      tell();
    }
  }

  /** The fetch has ended, well or not. On the node's loop. */
  void end() {
    progress.note("", passedBytes.get(), nowMs());
    tell();
  }

  private void tell() {
    observer.notice(new Event.FetchProgress(dataset, CopyProgress.of(progress, nowMs())));
  }
}
