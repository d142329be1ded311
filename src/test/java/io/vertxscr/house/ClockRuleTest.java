package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertxscr.model.Fault;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: below the edge no class asks a clock by itself, so that a test that owns the loop owns time. Method: every
 * call and method reference of every class of these packages.
 */
@Execution(ExecutionMode.CONCURRENT)
class ClockRuleTest {
  private static final String BASE = "io.vertxscr.";
  private static final List<String> WITHOUT_CLOCK = List.of("model", "coding", "format", "config", "placement",
      "transfer", "flow", "storage", "launch", "prefix", "redundancy", "explain", "protocol", "scavenge", "service",
      "metrics", "verticle");

  /** Exceptions that read a clock, with their reasons. */
  private static final Set<String> EXCEPTIONS = Set.of(
      "prefix.metadata.PrefixLock",        // waits for other processes in a blocking job, not on a loop
      "storage.Bins",             // names that no earlier process has used
      "coding.GfKernels");        // times the kernels of this machine once

  private static final Set<String> CLOCKS = Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis",
      "java.time.Instant.now", "java.time.Clock.systemUTC", "java.time.Clock.systemDefaultZone",
      "java.util.UUID.randomUUID", "java.lang.Math.random", "java.security.SecureRandom.<init>");

  @Test
  void noClockIsAskedBelowTheEdge() {
    JavaClasses program =
        new ClassFileImporter().importUrl(Fault.class.getProtectionDomain().getCodeSource().getLocation());
    assertThat(complaints(program)).isEmpty();
    assertThat(program.stream().filter(type -> EXCEPTIONS.contains(name(type)))).as("exceptions that exist")
        .hasSize(EXCEPTIONS.size());
  }

  @Test
  void aClockIsFound() {
    JavaClasses one = new ClassFileImporter().importClasses(Asks.class);
    assertThat(one.stream().flatMap(type -> type.getAccessesFromSelf().stream()).filter(ClockRuleTest::isClock))
        .hasSize(3);
  }

  /** A call, a reference, and a local time without a clock. */
  @SuppressWarnings("UnusedMethod")
  private static final class Asks {
    private final java.util.function.LongSupplier reference = System::nanoTime;

    long now() {
      return System.currentTimeMillis() + java.time.LocalDateTime.now().getNano() + reference.getAsLong();
    }

    int given(java.time.Clock clock) {
      return java.time.LocalDateTime.now(clock).getNano();
    }
  }

  private static Set<String> complaints(JavaClasses classes) {
    Set<String> complaints = new TreeSet<>();
    for (JavaClass type : classes) {
      String name = name(type);
      boolean bound = WITHOUT_CLOCK.stream().anyMatch(known -> name.startsWith(known + "."));
      if (bound && EXCEPTIONS.stream().noneMatch(one -> name.equals(one) || name.startsWith(one + "$"))) {
        type.getAccessesFromSelf().stream().filter(ClockRuleTest::isClock)
            .forEach(access -> complaints.add(access.getDescription()));
      }
    }
    return complaints;
  }

  private static boolean isClock(JavaAccess<?> access) {
    String target = access.getTargetOwner().getName() + "." + access.getTarget().getName();
    boolean localNow = target.startsWith("java.time.Local") && target.endsWith(".now")
        && access.getTarget().getFullName().endsWith("()");
    return localNow || CLOCKS.contains(target);
  }

  private static String name(JavaClass type) {
    return type.getName().startsWith(BASE) ? type.getName().substring(BASE.length()) : type.getName();
  }
}
