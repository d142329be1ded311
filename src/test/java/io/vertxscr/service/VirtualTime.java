package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Time, order and threads of a whole cluster in the test's own thread.
 *
 * <p>Nothing happens but in {@link #runUntil}. Of the loops that have something to do, a random one does its next
 * action; an action takes no time. Where no loop has anything to do, time goes on to the next timer or job that ends.
 * A blocking job runs in one step at a random time within {@link #MOST_JOB_MS}; any number run at once. Everything
 * follows from the random source, so a seed replays.
 */
public final class VirtualTime {
  private static final long MOST_JOB_MS = 20;
  private static final long NANOS_PER_MS = 1_000_000;
  /** What the wall clock says when time begins. */
  public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final RandomGenerator random;
  private final List<VirtualLoop> loops = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
  private final Set<Long> cancelled = new HashSet<>();
  private long nowNs;
  /** What the job that is being run has taken so far; its loop hears of it that much later. */
  private long jobNs;
  private long lastAlarm;
  private boolean inJob;

  /** Something that becomes due; of those due at the same time, the one that was asked for first. */
  private record Alarm(long atNs, long number, Runnable action) implements Comparable<Alarm> {
    @Override
    public int compareTo(Alarm other) {
      return atNs == other.atNs ? Long.compare(number, other.number) : Long.compare(atNs, other.atNs);
    }
  }

  public VirtualTime(RandomGenerator random) {
    this.random = random;
  }

  /** A loop of a node whose files are the machine's. */
  public Loop loop() {
    return loop(() -> true);
  }

  /** A loop of a node that may die: what it has not done by then, jobs included, is never done. */
  public Loop loop(BooleanSupplier alive) {
    return loop(LocalFiles.ofThisMachine(), alive);
  }

  /** A loop of a node with files of its own. */
  public Loop loop(LocalFiles files) {
    return loop(files, () -> true);
  }

  private Loop loop(LocalFiles files, BooleanSupplier alive) {
    VirtualLoop loop = new VirtualLoop(files, alive);
    loops.add(loop);
    return loop;
  }

  /** Nanoseconds since the test began. */
  public long nowNs() {
    return nowNs;
  }

  /**
   * Runs events until the condition holds, or the time has passed.
   *
   * @return whether the condition holds
   */
  public boolean runUntil(BooleanSupplier condition, Duration most) {
    long endNs = nowNs + most.toNanos();
    while (!condition.getAsBoolean()) {
      List<VirtualLoop> busy = loops.stream().filter(loop -> !loop.ready.isEmpty()).toList();
      if (!busy.isEmpty()) {
        busy.get(random.nextInt(busy.size())).ready.remove().run();
      } else if (!alarms.isEmpty() && alarms.peek().atNs <= endNs) {
        Alarm next = alarms.remove();
        nowNs = next.atNs;
        if (!cancelled.remove(next.number)) {
          next.action.run();
        }
      } else {
        nowNs = endNs;
        return false;
      }
    }
    return true;
  }

  /** Runs all events that are due. */
  public void settle() {
    runUntil(() -> false, Duration.ZERO);
  }

  /** For a blocking job: what it is doing takes so long. Meanwhile the loops go on. */
  public void pass(Duration duration) {
    jobNs += duration.toNanos();
  }

  /** Whether a blocking job is being run, and not an action of a loop. */
  public boolean isInJob() {
    return inJob;
  }

  /** The result of a call once it has one; within an hour. @throws AssertionError where it has none by then */
  public <T> Future<T> await(Future<T> future) {
    if (!runUntil(future::isComplete, Duration.ofHours(1))) {
      throw new AssertionError("nothing completes this future");
    }
    return future;
  }

  private long at(long delayNs, Runnable action) {
    alarms.add(new Alarm(nowNs + delayNs, ++lastAlarm, action));
    return lastAlarm;
  }

  /** A loop whose turn comes at random among all. */
  private final class VirtualLoop implements Loop {
    private final LocalFiles files;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final BooleanSupplier alive;

    VirtualLoop(LocalFiles files, BooleanSupplier alive) {
      this.files = files;
      this.alive = alive;
    }

    @Override
    public <T> Future<T> call(Supplier<Future<T>> action) {
      Promise<T> promise = promise();
      later(() -> Future.succeededFuture().compose(_ -> action.get()).onComplete(promise));
      return promise.future();
    }

    @Override
    public void later(Runnable action) {
      ready.add(() -> {
        if (alive.getAsBoolean()) {
          action.run();
        }
      });
    }

    @Override
    public <T> Future<T> blocking(String what, Callable<T> work) {
      Promise<T> promise = promise();
      at(random.nextLong(MOST_JOB_MS * NANOS_PER_MS + 1), () -> {
        if (alive.getAsBoolean()) {
          inJob = true;
          Future<T> done = run(work);
          inJob = false;
          long tookNs = jobNs;
          jobNs = 0;
          if (tookNs == 0) {
            later(() -> done.onComplete(promise));
          } else {
            at(tookNs, () -> later(() -> done.onComplete(promise)));
          }
        }
      });
      return promise.future();
    }

    private static <T> Future<T> run(Callable<T> work) {
      try {
        return Future.succeededFuture(work.call());
      } catch (Exception e) {
        return Future.failedFuture(e);
      }
    }

    @Override
    public <T> Future<T> patiently(String what, Callable<T> work) {
      return blocking(what, work);
    }

    @Override
    public long after(long delayMs, Runnable action) {
      return at(delayMs * NANOS_PER_MS, () -> later(action));
    }

    @Override
    public void cancel(long timer) {
      cancelled.add(timer);
    }

    @Override
    public <T> Promise<T> promise() {
      return Promise.promise();
    }

    @Override
    public long nanoTime() {
      return nowNs + jobNs;
    }

    @Override
    public RandomGenerator random() {
      return random;
    }

    @Override
    public LocalFiles files() {
      return files;
    }

    @Override
    public Clock clock() {
      return Clock.fixed(BEGINNING.plusNanos(nowNs + jobNs), ZoneOffset.UTC);
    }
  }
}
