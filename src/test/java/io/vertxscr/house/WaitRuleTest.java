package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: nobody waits for wall time to pass, in the program below the edge and in tests. A wait is for an event, with a
 * bound. Method: every call and method reference in the byte code of all classes. A bound is no wait for time: latches,
 * queues and futures that are given a limit and end earlier are not meant.
 */
@Execution(ExecutionMode.CONCURRENT)
class WaitRuleTest {
  /** What lets time go by, or burns it: by owner and name. */
  private static final Set<String> WAITS = Set.of(
      "java.lang.Thread.sleep", "java.lang.Thread.yield", "java.lang.Thread.onSpinWait",
      "java.util.concurrent.TimeUnit.sleep", "java.util.concurrent.TimeUnit.timedWait",
      "java.util.concurrent.TimeUnit.timedJoin", "java.util.concurrent.locks.LockSupport.parkNanos",
      "java.util.concurrent.locks.LockSupport.parkUntil", "java.util.concurrent.locks.Condition.awaitNanos",
      "java.util.concurrent.locks.Condition.awaitUntil", "java.util.concurrent.CompletableFuture.delayedExecutor",
      "java.util.Timer.schedule", "java.util.Timer.scheduleAtFixedRate",
      "java.util.concurrent.ScheduledExecutorService.schedule",
      "java.util.concurrent.ScheduledExecutorService.scheduleAtFixedRate",
      "java.util.concurrent.ScheduledExecutorService.scheduleWithFixedDelay",
      "io.vertx.core.Vertx.timer", "io.vertx.core.Vertx.setTimer", "io.vertx.core.Vertx.setPeriodic",
      "io.vertx.core.Vertx.timerStream", "io.vertx.core.Vertx.periodicStream");

  /** Who waits anyway, and why it may. */
  private static final Map<String, String> EXCEPTIONS = Map.ofEntries(
      Map.entry("scavenge.PatientLocks", "a command polls a lock that another process holds, in its own thread"),
      Map.entry("node.ClusteredNode", "watches a loop that may hang, from outside of it"),
      Map.entry("node.VertxLoop", "the loop of a daemon: where services get their timers from"),
      Map.entry("cluster.bridge.Connection", "gives the selector a turn, to see ends of connections before calls"),
      Map.entry("cluster.admission.UnprovenConnections", "closes connections whose time is over"),
      Map.entry("cluster.store.ObjectMounts", "renews the locks of a process, whatever its loops and workers do"),
      Map.entry("cluster.ops.LiveStreams", "sends heartbeats to those who look at the dashboard"),
      Map.entry("cluster.ops.OperatorsPort", "makes the page of metrics once a second"),
      Map.entry("cluster.bridge.FrameBudget", "gives up frames that stay unfinished while others wait"),
      Map.entry("client.BusTransport", "looks now and then whether the node of waiting calls is there"),
      Map.entry("cli.StatusCommand", "shows the state again and again, for somebody who looks on"),
      Map.entry("cli.DrainCommand", "asks how far it is again and again, for somebody who looks on"),
      Map.entry("cli.FlushCommand", "asks how far it is again and again, for somebody who looks on"),
      Map.entry("cli.EventsCommand", "asks for events again and again, for somebody who looks on"),
      Map.entry("cli.WatchScreen", "waits for the next page where no keys come, for somebody who looks on"),
      Map.entry("cli.drill.LiveDrill", "asks for events again and again, for somebody who looks on"),
      Map.entry("cli.drill.DrillRankCommand", "plays a program that computes between its checkpoints"),
      Map.entry("demo.DemoRun", "waits to be notified, until a deadline, for somebody who looks on"),
      Map.entry("examples.heat.Deadline", "polls files of other processes, in an example"),
      Map.entry("load.Daemons", "polls the daemons of a load test: other processes"),
      Map.entry("load.ScrubCase", "its application computes between two checkpoints"),
      Map.entry("system.AttackedDaemonsIT", "its application computes between two checkpoints"),
      Map.entry("demo.Daemon", "polls another process of the demo"),
      Map.entry("timing.Eventually", "the one place where tests poll"));

  @Test
  void nobodyWaitsForWallTime() {
    Set<String> complaints = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    classes().forEach(type -> {
      String name = name(type);
      Stream<JavaAccess<?>> waits = type.getAccessesFromSelf().stream().filter(waits());
      if (EXCEPTIONS.containsKey(name)) {
        waits.forEach(_ -> used.add(name));
      } else if (!name.startsWith("house.")) {
        waits.forEach(access -> complaints.add(access.getDescription()));
      }
    });
    assertThat(complaints).isEmpty();
    assertThat(used).as("exceptions that are needed").isEqualTo(new TreeSet<>(EXCEPTIONS.keySet()));
  }

  @Test
  void everyWayToWaitIsFound() {
    assertThat(new ClassFileImporter().importClasses(Waits.class).stream()
        .flatMap(type -> type.getAccessesFromSelf().stream()).filter(waits())
        .map(access -> access.getTarget().getName()).sorted())
        .containsExactly("awaitNanos", "delayedExecutor", "onSpinWait", "parkNanos", "setTimer", "sleep", "sleep",
            "sleep", "timer", "wait", "yield");
  }

  @Test
  void waitsForEventsAreNotFound() {
    assertThat(new ClassFileImporter().importClasses(Awaits.class).stream()
        .flatMap(type -> type.getAccessesFromSelf().stream()).filter(waits())).isEmpty();
  }

  /** Each way once, and sleep in three forms. */
  private static final class Waits {
    private final java.util.function.LongConsumer reference = LockSupport::parkNanos;

    void all(io.vertx.core.Vertx vertx, Condition condition) throws InterruptedException {
      Thread.sleep(1);                                    // polls nothing
      Thread.sleep(Duration.ofMillis(1));                 // polls nothing
      TimeUnit.SECONDS.sleep(1);
      Thread.onSpinWait();
      Thread.yield();
      synchronized (this) {
        wait(10);
      }
      CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(() -> { });
      vertx.timer(1).await();
      vertx.setTimer(1, _ -> { });
      reference.accept(condition.awaitNanos(1));
    }
  }

  private static final class Awaits {
    void all(java.util.concurrent.CountDownLatch latch, java.util.concurrent.BlockingQueue<String> queue)
        throws Exception {
      assertThat(latch.await(1, TimeUnit.SECONDS)).isTrue();
      assertThat(queue.poll(1, TimeUnit.SECONDS)).isNotNull();
      synchronized (this) {
        wait();
      }
    }
  }

  private static Predicate<JavaAccess<?>> waits() {
    // Object.wait with a time; without one it waits for an event
    return access -> WAITS.contains(access.getTargetOwner().getName() + "." + access.getTarget().getName())
        || access.getTarget().getFullName().contains(".wait(long");
  }

  private static Stream<JavaClass> classes() {
    return Stream.concat(Imported.program().stream(), Imported.tests().stream());
  }

  /** Of the outermost class, without the base. */
  private static String name(JavaClass type) {
    return type.getName().replace("io.vertxscr.", "").replaceAll("\\$.*", "");
  }
}
