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
  /** Loops with something to do that are not paused. */
  private final List<VirtualLoop> busy = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
  private final Set<Long> cancelled = new HashSet<>();
  private Loop current;
  private long nowNs;
  /** What the job that is being run has taken so far; its loop hears of it that much later. */
  private long jobNs;
  private long lastAlarm;

  /** Something that becomes due; of those due at the same time, the one that was asked for first. */
  private record Alarm(long atNs, long number, Runnable action) implements Comparable<Alarm> {
    @Override
    public int compareTo(Alarm other) {
      return atNs == other.atNs ? Long.compare(number, other.number) : Long.compare(atNs, other.atNs);
    }
  }

  /** Thrown within a blocking job: its node has ended in the middle of it, and nobody hears of the job. */
  public static class Ended extends Error {
    private static final long serialVersionUID = 1L;

    protected Ended(String what) {
      super(what, null, false, false);
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

  /** A loop of a node with files of its own that may die, with as many threads for jobs as it wants. */
  public Loop loop(LocalFiles files, BooleanSupplier alive) {
    return loop(files, alive, Integer.MAX_VALUE);
  }

  /**
   * A loop of a node with files of its own that may die.
   *
   * @param threads how many jobs it runs at once, and as many patient ones; others wait for their turn
   */
  public Loop loop(LocalFiles files, BooleanSupplier alive, int threads) {
    return new VirtualLoop(files, alive, threads);
  }

  /** The loop does nothing for so long, nor do its jobs; the world goes on. As SIGSTOP does with a process. */
  public void pause(Loop loop, Duration some) {
    VirtualLoop paused = (VirtualLoop) loop;
    paused.pauses++;
    busy.remove(paused);
    at(some.toNanos(), () -> {
      paused.pauses--;
      paused.goOn();
    });
  }

  /** Sets the wall clock of a loop forward, or back. */
  public void skew(Loop loop, Duration by) {
    ((VirtualLoop) loop).skew = by;
  }

  /** Whose action or job is being run; null: nobody's. */
  public Loop current() {
    return current;
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
      if (!busy.isEmpty()) {
        busy.get(busy.size() == 1 ? 0 : random.nextInt(busy.size())).turn();
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

  /** Jobs that run at the same time, up to a limit; those beyond it wait in their order. */
  private static final class Threads {
    private final int most;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;

    Threads(int most) {
      this.most = most;
    }

    void start(Runnable job) {
      if (running < most) {
        running++;
        job.run();
      } else {
        waiting.add(job);
      }
    }

    void ended() {
      Runnable next = waiting.poll();
      if (next == null) {
        running--;
      } else {
        next.run();
      }
    }
  }

  /** A loop whose turn comes at random among all. */
  private final class VirtualLoop implements Loop {
    private final LocalFiles files;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final List<Runnable> stopped = new ArrayList<>();
    private final BooleanSupplier alive;
    private final Threads threads;
    private final Threads patientThreads;
    private Duration skew = Duration.ZERO;
    private int pauses;

    VirtualLoop(LocalFiles files, BooleanSupplier alive, int threads) {
      this.files = files;
      this.alive = alive;
      this.threads = new Threads(threads);
      this.patientThreads = new Threads(threads);
    }

    /** Does the next action. */
    void turn() {
      Runnable next = ready.remove();
      if (ready.isEmpty()) {
        busy.remove(this);
      }
      if (alive.getAsBoolean()) {
        current = this;
        next.run();
        current = null;
      }
    }

    void goOn() {
      if (pauses == 0) {
        List<Runnable> jobs = List.copyOf(stopped);
        stopped.clear();
        jobs.forEach(Runnable::run);
        if (!ready.isEmpty() && !busy.contains(this)) {
          busy.add(this);
        }
      }
    }

    @Override
    public <T> Future<T> call(Supplier<Future<T>> action) {
      Promise<T> promise = promise();
      later(() -> Future.succeededFuture().compose(_ -> action.get()).onComplete(promise));
      return promise.future();
    }

    @Override
    public void later(Runnable action) {
      if (ready.isEmpty() && pauses == 0) {
        busy.add(this);
      }
      ready.add(action);
    }

    @Override
    public <T> Future<T> blocking(String what, Callable<T> work) {
      return job(threads, work);
    }

    @Override
    public <T> Future<T> patiently(String what, Callable<T> work) {
      return job(patientThreads, work);
    }

    private <T> Future<T> job(Threads by, Callable<T> work) {
      Promise<T> promise = promise();
      by.start(() -> at(random.nextLong(MOST_JOB_MS * NANOS_PER_MS + 1), () -> whenItGoesOn(by, work, promise)));
      return promise.future();
    }

    private <T> void whenItGoesOn(Threads by, Callable<T> work, Promise<T> promise) {
      if (pauses > 0) {
        stopped.add(() -> whenItGoesOn(by, work, promise));
      } else if (alive.getAsBoolean()) {
        current = this;
        Future<T> done = run(work);
        current = null;
        long tookNs = jobNs;
        jobNs = 0;
        if (done == null) {
          return;
        }
        Runnable end = () -> {
          by.ended();
          later(() -> done.onComplete(promise));
        };
        if (tookNs == 0) {
          end.run();
        } else {
          at(tookNs, end);
        }
      }
    }

    /** The outcome; null where the node has ended within the job. */
    private static <T> Future<T> run(Callable<T> work) {
      try {
        return Future.succeededFuture(work.call());
      } catch (Ended _) {
        return null;
      } catch (Exception e) {
        return Future.failedFuture(e);
      }
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
      return Clock.fixed(BEGINNING.plusNanos(nowNs + jobNs).plus(skew), ZoneOffset.UTC);
    }
  }
}
