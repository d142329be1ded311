package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: below the edge, time, threads, chance and files come from outside. No class asks a clock, starts a thread or
 * timer, waits, draws a random number, touches a context of Vert.x or opens a file of the machine by itself, so that a
 * test that owns the loop owns all of that. Method: every call and method reference of every class of these packages.
 * Each exception is named with its reason.
 */
@Execution(ExecutionMode.CONCURRENT)
class ClockRuleTest {
  private static final String BASE = "io.vertxscr.";
  private static final List<String> BELOW_THE_EDGE = List.of("model", "coding", "format", "config", "placement",
      "transfer", "flow", "storage", "launch", "prefix", "redundancy", "explain", "protocol", "scavenge", "service",
      "metrics", "verticle");

  private static final Set<String> CLOCKS = Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis",
      "java.time.Instant.now", "java.time.Clock.systemUTC", "java.time.Clock.systemDefaultZone");
  private static final Set<String> THREADS = Set.of("java.lang.Thread.<init>", "java.lang.Thread.ofPlatform",
      "java.lang.Thread.ofVirtual", "java.lang.Thread.startVirtualThread", "java.util.Timer.<init>",
      "java.util.concurrent.ThreadPoolExecutor.<init>", "java.util.concurrent.ScheduledThreadPoolExecutor.<init>",
      "java.util.concurrent.CompletableFuture.delayedExecutor", "java.util.concurrent.CompletableFuture.orTimeout",
      "java.util.concurrent.CompletableFuture.completeOnTimeout");
  private static final Set<String> THREAD_FACTORIES =
      Set.of("java.util.concurrent.Executors", "java.util.concurrent.ForkJoinPool");
  private static final Set<String> WAITS = Set.of("java.lang.Thread.sleep", "java.lang.Thread.join",
      "java.lang.Object.wait", "java.lang.Process.waitFor", "java.util.concurrent.Semaphore.acquire",
      "java.util.concurrent.Semaphore.tryAcquire", "java.util.concurrent.CountDownLatch.await",
      "java.util.concurrent.locks.Condition.await", "java.util.concurrent.locks.Condition.awaitNanos",
      "java.util.concurrent.locks.LockSupport.park", "java.util.concurrent.locks.LockSupport.parkNanos",
      "java.util.concurrent.Future.get", "java.util.concurrent.CompletableFuture.get",
      "java.util.concurrent.CompletableFuture.join", "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
      "java.util.concurrent.ExecutorService.awaitTermination", "io.vertx.core.Future.await");
  private static final Set<String> CHANCE = Set.of("java.util.UUID.randomUUID", "java.lang.Math.random",
      "java.security.SecureRandom.<init>", "java.util.concurrent.ThreadLocalRandom.current",
      "java.nio.file.Files.createTempDirectory", "java.nio.file.Files.createTempFile");
  private static final Set<String> FILES_OF_THE_MACHINE = Set.of("java.nio.file.Path.of", "java.nio.file.Paths.get",
      "java.nio.file.FileSystems.getDefault", "java.nio.file.Path.toFile", "java.io.File.<init>",
      "java.io.FileInputStream.<init>", "java.io.FileOutputStream.<init>", "java.io.RandomAccessFile.<init>");
  private static final Set<String> VERTX = Set.of("io.vertx.core.Vertx", "io.vertx.core.Context",
      "io.vertx.core.internal.VertxInternal", "io.vertx.core.internal.ContextInternal");

  /** What comes from outside, how it is recognised, and who uses it anyway. */
  private enum Rule {
    CLOCK(ClockRuleTest::isClock, Map.of(
        "scavenge.PatientLocks", "a command, which has no loop, says since when it holds a lock",
        "coding.GfKernels", "times the kernels of this machine once")),
    THREAD(access -> THREADS.contains(target(access)) || THREAD_FACTORIES.contains(access.getTargetOwner().getName())
        || isAsync(access), Map.of(
        "transfer.TransferEngine", "it is the threads of a node for blocking work",
        "scavenge.Workers", "a command copies on several threads, which end with it")),
    WAIT(access -> WAITS.contains(target(access)), Map.of(
        "scavenge.PatientLocks", "a command waits in its own thread",
        "scavenge.Workers", "a command waits for its own threads",
        "transfer.TransferEngine", "a node that is closed waits for its threads",
        "launch.DaemonEnd", "scr run has no loop")),
    RANDOM(access -> CHANCE.contains(target(access)) || isUnseeded(access), Map.of(
        "storage.LogicalDraft", "a name that no late writer of an earlier draft knows",
        "scavenge.ScavengeCopy", "the same")),
    MACHINE(access -> FILES_OF_THE_MACHINE.contains(target(access)), Map.of(
        "storage.LocalFiles", "it is the seam",
        "config", "the edge: parameters and their files",
        "launch", "the edge: scr run",
        "verticle.Deployments", "descriptors, before there is a node")),
    VERTX_CONTEXT(access -> VERTX.contains(access.getTargetOwner().getName()), Map.of(
        "verticle", "where messages come in",
        "metrics.Metrics", "makes the registry that Vert.x is started with"));

    private final Predicate<JavaAccess<?>> isMeant;
    private final Map<String, String> reasons;

    Rule(Predicate<JavaAccess<?>> isMeant, Map<String, String> reasons) {
      this.isMeant = isMeant;
      this.reasons = reasons;
    }

    private boolean excuses(String type) {
      return reasons.keySet().stream()
          .anyMatch(one -> type.equals(one) || type.startsWith(one + "$") || type.startsWith(one + "."));
    }
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void noClassBelowTheEdgeTakesByItselfWhatComesFromOutside(Rule rule) {
    Set<String> complaints = new TreeSet<>();
    Set<String> excused = new TreeSet<>();
    for (JavaClass type : Imported.program()) {
      String name = name(type);
      if (BELOW_THE_EDGE.stream().anyMatch(known -> name.startsWith(known + "."))) {
        type.getAccessesFromSelf().stream().filter(rule.isMeant).forEach(access ->
            (rule.excuses(name) ? excused : complaints).add(rule.excuses(name) ? name : access.getDescription()));
      }
    }
    assertThat(complaints).isEmpty();
    assertThat(rule.reasons.keySet()).as("exceptions that are needed").allSatisfy(one ->
        assertThat(excused).anyMatch(name -> name.equals(one) || name.startsWith(one + "$")
            || name.startsWith(one + ".")));
  }

  @ParameterizedTest
  @CsvSource({"CLOCK, 3", "THREAD, 3", "WAIT, 2", "RANDOM, 2", "MACHINE, 3", "VERTX_CONTEXT, 2"})
  void aBreachIsFound(Rule rule, int breaches) {
    JavaClasses one = new ClassFileImporter().importClasses(Asks.class);
    assertThat(one.stream().flatMap(type -> type.getAccessesFromSelf().stream()).filter(rule.isMeant))
        .hasSize(breaches);
  }

  /** Calls, references, and a local time without a clock; beside what may be done. */
  private static final class Asks {
    private final LongSupplier reference = System::nanoTime;

    long now() {
      return System.currentTimeMillis() + LocalDateTime.now().getNano() + reference.getAsLong();
    }

    int given(Clock clock) {
      return LocalDateTime.now(clock).getNano();
    }

    void threads() {
      Thread.ofPlatform().unstarted(() -> {});
      CompletableFuture.runAsync(() -> {});
      List.of(1).parallelStream().toList();
    }

    void waits(CountDownLatch latch, Process process) throws InterruptedException {
      latch.await();
      process.waitFor();
    }

    int chance() {
      return new Random(1).nextInt() + new Random().nextInt() + ThreadLocalRandom.current().nextInt();
    }

    boolean files(Path path) {
      return path.resolve("x").toFile().equals(Path.of("x").toFile());
    }

    void timers(Vertx vertx) {
      vertx.setTimer(1, _ -> {});
      vertx.getOrCreateContext();
    }
  }

  private static String target(JavaAccess<?> access) {
    return access.getTargetOwner().getName() + "." + access.getTarget().getName();
  }

  private static boolean isClock(JavaAccess<?> access) {
    boolean localNow = target(access).startsWith("java.time.Local") && target(access).endsWith(".now")
        && access.getTarget().getFullName().endsWith("()");
    return localNow || CLOCKS.contains(target(access));
  }

  /** On the common pool. */
  private static boolean isAsync(JavaAccess<?> access) {
    String target = target(access);
    return target.startsWith("java.util.concurrent.Completable") && target.endsWith("Async")
        || target.startsWith("java.util.") && target.matches(".*\\.(parallelStream|parallel)");
  }

  private static boolean isUnseeded(JavaAccess<?> access) {
    return access.getTarget().getFullName().equals("java.util.Random.<init>()");
  }

  private static String name(JavaClass type) {
    return type.getName().startsWith(BASE) ? type.getName().substring(BASE.length()) : type.getName();
  }
}
