package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertxscr.model.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: who may use whom stays as it was designed. Method: every dependency of every class against the table below;
 * a package that is not in the table is refused, so that somebody decides where it belongs.
 */
@Execution(ExecutionMode.CONCURRENT)
class PackageTableTest {
  private static final String BASE = "io.vertxscr";

  /** These decide and work without an event loop, and are tested without one. */
  private static final Set<String> WITHOUT_VERTX =
      Set.of("model", "coding", "format", "placement", "flow", "config", "storage", "prefix", "redundancy", "scavenge",
          "explain", "launch");

  private static final Map<String, Set<String>> MAY_USE = new LinkedHashMap<>();

  static {
    row("model");
    row("coding", "model");
    row("format", "model");
    row("placement", "model");
    row("flow", "model", "placement");
    row("config", "model");
    row("storage", "model", "coding", "format", "placement");
    row("prefix", "model", "coding", "format", "placement", "storage");
    row("redundancy", "model", "coding", "format", "placement", "storage");
    row("protocol", "model");
    row("protocol.node", "model", "flow", "config", "redundancy", "protocol");
    rowAllAbove("service");
    row("scavenge", "model", "flow", "format", "placement", "storage", "prefix", "redundancy");
    row("explain", "model", "flow", "placement");
    row("launch", "model", "config");
    row("transfer", "model");
    row("cluster.peer", "model", "storage", "redundancy", "transfer");
    row("cluster.transfer", "model", "storage", "redundancy", "transfer", "cluster.peer");
    row("cluster.bridge", "model", "protocol");
    rowAllAbove("cluster");
    row("metrics", "model", "protocol", "service");
    rowAllAbove("verticle");
    row("client", "model", "protocol");
    rowAllAbove("node");
    row("examples", "model", "client");
    rowAllAbove("demo");
    rowAllAbove("cli");
  }

  @Test
  void everyDependencyIsInTheTable() {
    JavaClasses program =
        new ClassFileImporter().importUrl(Fault.class.getProtectionDomain().getCodeSource().getLocation());

    assertThat(program).as("classes of the program").hasSizeGreaterThan(20);
    assertThat(complaints(program)).isEmpty();
  }

  @Test
  void aDependencyThatIsNotInTheTableIsFound() {
    JavaClasses one = new ClassFileImporter().importClasses(PackageTableTest.class);

    assertThat(complaints(one)).contains(
        "package house is not in the table of PackageTableTest: decide what it may use");
    assertThat(complaint("model", "io.vertxscr.storage")).isEqualTo("package model uses storage");
    assertThat(complaint("cluster.peer.deep", "io.vertxscr.service")).isEqualTo("package cluster.peer uses service");
    assertThat(complaint("flow", "io.vertx.core")).isEqualTo("package flow uses io.vertx.core");
    assertThat(complaint("service", "io.vertx.core")).isNull();
    assertThat(complaint("service", "io.vertxscr.flow")).isNull();
  }

  private static Set<String> complaints(JavaClasses classes) {
    Set<String> complaints = new TreeSet<>();
    for (JavaClass user : classes) {
      String name = within(user.getPackageName());
      if (key(name) == null) {
        complaints.add("package " + name + " is not in the table of PackageTableTest: decide what it may use");
        continue;
      }
      for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
        String complaint = complaint(name, dependency.getTargetClass().getBaseComponentType().getPackageName());
        if (complaint != null) {
          complaints.add(complaint + ": " + dependency.getDescription());
        }
      }
    }
    return complaints;
  }

  /** What is wrong with a use of {@code target} (a full package name) in {@code user}; null where nothing is. */
  private static String complaint(String user, String target) {
    String from = key(user);
    if (target.startsWith("io.vertx.")) {
      return WITHOUT_VERTX.contains(from) ? "package " + from + " uses " + target : null;
    }
    if (!target.startsWith(BASE + ".")) {
      return null;
    }
    String to = key(within(target));
    return from.equals(to) || MAY_USE.get(from).contains(to) ? null : "package " + from + " uses " + to;
  }

  /** The row of a package: its own, or that of the nearest package above it; null where there is none. */
  private static String key(String name) {
    for (String at = name; ; at = at.substring(0, at.lastIndexOf('.'))) {
      if (MAY_USE.containsKey(at)) {
        return at;
      }
      if (at.indexOf('.') < 0) {
        return null;
      }
    }
  }

  private static String within(String packageName) {
    return packageName.equals(BASE) ? "" : packageName.substring(BASE.length() + 1);
  }

  private static void row(String name, String... mayUse) {
    MAY_USE.put(name, Set.of(mayUse));
  }

  private static void rowAllAbove(String name) {
    List<String> above = new ArrayList<>(MAY_USE.keySet());
    MAY_USE.put(name, Set.copyOf(above));
  }
}
