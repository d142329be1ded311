package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: what is random in a test comes from a seed. Method: every call and reference in the byte code of all tests. */
@Execution(ExecutionMode.CONCURRENT)
class SeedRuleTest {
  private static final Set<String> UNSEEDED = Set.of("java.util.Random.<init>()", "java.util.SplittableRandom.<init>()",
      "java.security.SecureRandom.<init>()", "java.lang.Math.random()", "java.util.UUID.randomUUID()",
      "java.util.concurrent.ThreadLocalRandom.current()", "java.util.Collections.shuffle(java.util.List)",
      "java.util.random.RandomGenerator.getDefault()");

  @Test
  void noTestIsRandomWithoutASeed() {
    Set<String> complaints = new TreeSet<>();
    Imported.tests().stream()
        .filter(type -> !type.getPackageName().equals(SeedRuleTest.class.getPackageName()))
        .flatMap(type -> type.getAccessesFromSelf().stream()).filter(unseeded())
        .forEach(access -> complaints.add(access.getDescription()));
    assertThat(complaints).isEmpty();
  }

  @Test
  void chanceWithoutASeedIsFoundAndWithOneIsNot() {
    assertThat(new ClassFileImporter().importClasses(Chance.class).stream()
        .flatMap(type -> type.getAccessesFromSelf().stream()).filter(unseeded())).hasSize(3);
  }

  private static final class Chance {
    private final java.util.function.Supplier<UUID> name = UUID::randomUUID;

    double draw() {
      return new Random().nextDouble() + new Random(1).nextDouble() + Math.random() + name.get().hashCode();
    }
  }

  private static Predicate<JavaAccess<?>> unseeded() {
    return access -> UNSEEDED.contains(access.getTarget().getFullName());
  }
}
