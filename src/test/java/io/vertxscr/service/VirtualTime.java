package io.vertxscr.service;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.storage.LocalFiles;
import java.lang.management.ManagementFactory;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Time, order and threads of a whole cluster in the test's own thread.
 *
 * <p>Nothing happens but in {@link #runUntil}. Of the loops that have something to do, a random one does its next
 * action; an action takes no time. Where no loop has anything to do, time goes on to the next timer or job that ends.
 * A blocking job runs in one step at a random time within {@link #MOST_JOB_MS}, unless it {@link #stand stands}; of
 * each pool of a loop so many at once as it has threads. Everything follows from the random source, so a seed replays.
 */
public final class VirtualTime {
  private static final long MOST_JOB_MS = 20;
  /** How often a job that hangs looks whether it can go on. */
  private static final long HUNG_MS = 100;
  private static final long NANOS_PER_MS = 1_000_000;
  /** Of cancelled timers that are kept until they are due; most are those of requests, far in the future. */
  private static final int MOST_CANCELLED = 500;
  /** Of promises that are kept for {@link #level}. */
  private static final int MOST_COMPLETED = 200;
  /** Of each pool. */
  private static final int THREADS = 4;
  /** Jobs that stand still, each within the one before it. */
  private static final int MOST_STANDING = 2;
  private static final LongAdder ELSEWHERE_NS = new LongAdder();
  /** What the wall clock says when time begins. */
  public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final RandomGenerator random;
  /** Loops with something to do. */
  private final List<VirtualLoop> busy = new ArrayList<>();
  private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
  private final Set<Long> cancelled = new HashSet<>();
  private long nowNs;
  /** What the job that is being run has taken so far; its loop hears of it that much later. */
  private long jobNs;
  private String job = "";
  private boolean inJob;
  private int standing;
  private Loop current;
  private BiConsumer<Loop, String> watched = (_, _) -> {};
  private long lastAlarm;

  /** Something that becomes due; of those due at the same time, the one that was asked for first. */
  private record Alarm(long atNs, long number, Runnable action) implements Comparable<Alarm> {
    @Override
    public int compareTo(Alarm other) {
      return atNs == other.atNs ? Long.compare(number, other.number) : Long.compare(atNs, other.atNs);
    }
  }

  /**
   * What a loop has under way.
   *
   * @param jobs that wait for a thread, or have one
   * @param timers that are not due yet
   * @param promises of its own that nobody has completed
   */
  public record Level(int jobs, int timers, int promises) {}

  /** Thrown within a blocking job: its node has ended in the middle of it, and nobody hears of the job. */
  public static class Ended extends Error {
    private static final long serialVersionUID = 1L;

    protected Ended(String what) {
      super(what, null, false, false);
    }
  }

  /** What a node can do at present; others may change it. */
  public interface NodeCondition {
    /** What a dead node has not done by then, jobs included, is never done. */
    boolean lives();

    /** Otherwise its loop and its jobs stand still, as of a process that is stopped. */
    default boolean runs() {
      return true;
    }

    /** How far its wall clock is ahead of the others'. */
    default Duration ahead() {
      return Duration.ZERO;
    }

    /** Its spans. */
    default Traces traces(Loop loop) {
      return Traces.OFF;
    }

    /** Otherwise its jobs hang, as on a disk that does not answer. */
    default boolean stores() {
      return true;
    }
  }

  public VirtualTime(RandomGenerator random) {
    this.random = random;
  }

  /** A loop of a node whose files are the machine's. */
  public Loop loop() {
    return loop((NodeCondition) () -> true);
  }

  /** A loop of a node that may die, or stand still. */
  public Loop loop(NodeCondition condition) {
    return loop(LocalFiles.ofThisMachine(), condition);
  }

  /** A loop of a node with files of its own. */
  public Loop loop(LocalFiles files) {
    return loop(files, (NodeCondition) () -> true);
  }

  /** The same of a node that may die, pause, or have storage that hangs. */
  public Loop loop(LocalFiles files, NodeCondition condition) {
    return new VirtualLoop(files, condition);
  }

  /** Whose action or job is being run; null: nobody's. */
  public Loop current() {
    return current;
  }

  /** Which job is being run, as it was asked for; empty: none. */
  public String job() {
    return job;
  }

  /** Is told of each blocking job when it is asked for: whose, and what. */
  public void watchJobs(BiConsumer<Loop, String> by) {
    watched = by;
  }

  /** What one of its loops has under way. */
  public Level level(Loop of) {
    return ((VirtualLoop) of).level();
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
      List<VirtualLoop> running = running();
      if (!running.isEmpty()) {
        running.get(running.size() == 1 ? 0 : random.nextInt(running.size())).turn();
      } else if (!alarms.isEmpty() && alarms.peek().atNs <= endNs) {
        Alarm next = alarms.remove();
        nowNs = next.atNs;
        if (!cancelled.remove(next.number)) {
          next.action.run();
        }
      } else {
        nowNs = Math.max(nowNs, endNs);                   // a job that stood within may have taken longer
        return false;
      }
    }
    return true;
  }

  /** Runs all events that are due. */
  public void settle() {
    runUntil(() -> false, Duration.ZERO);
  }

  private List<VirtualLoop> running() {
    for (VirtualLoop loop : busy) {
      if (!loop.condition.runs()) {
        return busy.stream().filter(other -> other.condition.runs()).toList();
      }
    }
    return busy;
  }

  /** For a blocking job: what it is doing takes so long. Meanwhile the loops go on. */
  public void pass(Duration duration) {
    if (!inJob) {
      throw new AssertionError("a loop waits for a file");
    }
    jobNs += duration.toNanos();
  }

  /** Whether a blocking job is being run that may {@link #stand}: not within too many others. */
  public boolean mayStand() {
    return inJob && standing < MOST_STANDING;
  }

  /** Whether a job stands that goes on only when the one that is being run has ended. */
  public boolean isWithinStanding() {
    return standing > 0;
  }

  /**
   * For a blocking job: its thread stands still for so long. All else goes on meanwhile, in another thread; what begins
   * to stand then ends before.
   */
  public void stand(Duration duration) {
    if (!inJob) {
      throw new AssertionError("a loop stands still");
    }
    Loop here = current;
    String what = job;
    long tookNs = jobNs;
    inJob = false;
    current = null;
    job = "";
    jobNs = 0;
    standing++;
    try {
      elsewhere(() -> runUntil(() -> false, duration));
    } finally {
      standing--;
      inJob = true;
      current = here;
      job = what;
      jobNs = tookNs;
    }
  }

  /** CPU time of all threads that have gone on while jobs stood, in this process. */
  public static long elsewhereNs() {
    return ELSEWHERE_NS.sum();
  }

  /** Has another thread do something, and waits for that: what is of this thread stays as it is. */
  private static void elsewhere(Runnable what) {
    FutureTask<Void> task = new FutureTask<>(() -> {
      try {
        what.run();
      } finally {
        ELSEWHERE_NS.add(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
      }
    }, null);
    Thread.ofPlatform().name("while a job stands").start(task);
    try {
      task.get();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause();
    }
  }

  /** Has a process of its own do something, which may {@link #stand} as a blocking job may. */
  public <T> T process(Supplier<T> what) {
    boolean wasInJob = inJob;
    Loop here = current;
    inJob = true;
    current = null;
    try {
      return what.get();
    } finally {
      inJob = wasInJob;
      current = here;
    }
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

  /** Threads of a node. */
  private static final class Pool {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int busy;

    void start(Runnable job) {
      if (busy == THREADS) {
        waiting.add(job);
      } else {
        busy++;
        job.run();
      }
    }

    void end() {
      busy--;
      if (!waiting.isEmpty()) {
        start(waiting.remove());
      }
    }
  }

  /** A loop whose turn comes at random among all. */
  private final class VirtualLoop implements Loop {
    private final LocalFiles files;
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final NodeCondition condition;
    private final Traces traces;
    private final Pool engine = new Pool();
    private final Pool bulk = new Pool();
    private final Pool prefix = new Pool();
    private final Pool quiet = new Pool();
    private final PrefixJobs prefixJobs = new PrefixJobs(this, this::onPrefixThread);
    /** That have not been due. */
    private final Set<Long> timers = new HashSet<>();
    /** Completed ones leave when there are twice as many as were left the last time. */
    private final List<Promise<?>> promises = new ArrayList<>();
    private int mostPromises = MOST_COMPLETED;
    private int jobs;

    VirtualLoop(LocalFiles files, NodeCondition condition) {
      this.files = files;
      this.condition = condition;
      this.traces = condition.traces(this);
    }

    @Override
    public Traces traces() {
      return traces;
    }

    Level level() {
      forgetCompleted();
      return new Level(jobs, timers.size(), promises.size());
    }

    private void forgetCompleted() {
      promises.removeIf(promise -> promise.future().isComplete());
      mostPromises = 2 * promises.size() + MOST_COMPLETED;
    }

    /** Does the next action. */
    void turn() {
      Runnable next = ready.remove();
      if (ready.isEmpty()) {
        busy.remove(this);
      }
      if (condition.lives()) {
        current = this;
        try {
          next.run();
        } finally {
          current = null;
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
      if (ready.isEmpty()) {
        busy.add(this);
      }
      ready.add(action);
    }

    @Override
    public <T> Future<T> blocking(String what, Callable<T> work) {
      return on(engine, what, work);
    }

    private <T> Future<T> onPrefixThread(String what, Callable<T> work) {
      return on(prefix, what, work);
    }

    private <T> Future<T> on(Pool pool, String what, Callable<T> work) {
      watched.accept(this, what);
      Promise<T> promise = Promise.promise();
      jobs++;
      pool.start(() -> at(random.nextLong(MOST_JOB_MS * NANOS_PER_MS + 1), () -> job(pool, what, work, promise)));
      return promise.future();
    }

    private <T> void job(Pool pool, String what, Callable<T> work, Promise<T> promise) {
      if (condition.lives() && !(condition.runs() && condition.stores())) {
        at(HUNG_MS * NANOS_PER_MS, () -> job(pool, what, work, promise));
      } else if (condition.lives()) {
        Future<T> done = run(what, work);
        long tookNs = jobNs;
        jobNs = 0;
        if (done == null) {
          return;
        }
        Runnable end = () -> {
          jobs--;
          pool.end();
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
    private <T> Future<T> run(String what, Callable<T> work) {
      inJob = true;
      job = what;
      current = this;
      try {
        return Future.succeededFuture(work.call());
      } catch (Ended _) {
        return null;
      } catch (Exception e) {
        return Future.failedFuture(e);
      } finally {
        inJob = false;
        job = "";
        current = null;
      }
    }

    @Override
    public <T> Future<T> patiently(String what, Callable<T> work) {
      return on(bulk, what, work);
    }

    @Override
    public <T> Future<T> quietly(String what, Callable<T> work) {
      return on(quiet, what, work);
    }

    @Override
    public PrefixJobs prefix() {
      return prefixJobs;
    }

    @Override
    public <T> Future<T> aside(String what, Callable<T> work) {
      return on(new Pool(), what, work);
    }

    @Override
    public long after(long delayMs, Runnable action) {
      long number = lastAlarm + 1;
      timers.add(number);
      return at(delayMs * NANOS_PER_MS, () -> {
        timers.remove(number);
        later(action);
      });
    }

    @Override
    public void cancel(long timer) {
      timers.remove(timer);
      cancelled.add(timer);
      if (cancelled.size() > MOST_CANCELLED) {
        alarms.removeIf(alarm -> cancelled.contains(alarm.number));
        cancelled.clear();
      }
    }

    @Override
    public <T> Promise<T> promise() {
      Promise<T> promise = Promise.promise();
      promises.add(promise);
      if (promises.size() > mostPromises) {
        forgetCompleted();
      }
      return promise;
    }

    @Override
    public long nanoTime() {
      return nowNs + jobNs;
    }

    /** Actions take no time. */
    @Override
    public long processorNs() {
      return 0;
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
      return Clock.fixed(BEGINNING.plusNanos(nowNs + jobNs).plus(condition.ahead()), ZoneOffset.UTC);
    }
  }
}
