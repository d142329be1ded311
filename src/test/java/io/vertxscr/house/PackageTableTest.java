package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: who may use whom stays as it was designed. Method: every dependency of every class against the table below, by
 * the top of its tree, and against the order of all packages, sub-packages included. A package that is in neither is
 * refused, so that somebody decides where it belongs.
 */
@Execution(ExecutionMode.CONCURRENT)
class PackageTableTest {
  private static final String BASE = "io.vertxscr";

  /** These decide and work without an event loop, and are tested without one. */
  private static final Set<String> WITHOUT_VERTX =
      Set.of("model", "coding", "format", "placement", "flow", "config", "storage", "prefix", "redundancy", "scavenge",
          "explain", "launch");

  private static final Map<String, Set<String>> MAY_USE = new LinkedHashMap<>();

  /**
   * All packages from the bottom up: one uses only those before it, so there are no circles. What stands lower than the
   * level of its tree is what a lower tree needs of it.
   */
  static final List<String> FROM_THE_BOTTOM = List.of(
      "model", "coding", "format", "format.prefix", "placement", "config.policy", "config",
      "flow.gather", "flow.paths", "flow.advice", "flow.run", "flow.restart", "flow.flush", "flow.scrub",
      "transfer", "storage.userspace", "storage", "storage.object", "launch", "redundancy.range", "redundancy",
      "explain", "prefix.metadata", "prefix.copy.extent", "prefix.copy.zstd", "prefix.copy.container", "prefix.copy",
      "prefix.publish", "scavenge", "protocol.json", "protocol", "protocol.app", "protocol.node",
      "protocol.node.redundancy", "protocol.node.restart", "protocol.node.scrub", "protocol.node.flush",
      "protocol.node.container", "protocol.node.advice", "protocol.node.run", "client",
      "service", "service.log", "service.redundancy", "service.cache", "service.run", "service.restart",
      "service.scrub",
      "service.copy", "service.container", "service.flush", "service.phase", "service.scavenge", "service.advice",
      "service.leader", "service.dashboard",
      "cluster.admission", "cluster.tls", "cluster.accept", "cluster.peer", "cluster.store", "cluster",
      "cluster.bridge", "cluster.ops", "metrics",
      "verticle", "node",
      "cli.text", "cli.daemon", "cli.halt", "cli.offline", "cli.launch", "cli.drill", "cli.scr", "examples.heat",
      "demo", "cli");

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
    row("protocol", "model", "flow", "config", "redundancy");
    row("protocol.node", "model", "flow", "config", "redundancy", "protocol");
    row("explain", "model", "flow", "placement");
    row("scavenge", "model", "flow", "format", "placement", "storage", "prefix", "redundancy", "explain");
    rowAllAbove("service");
    row("launch", "model", "config");
    row("transfer", "model");
    row("cluster.admission", "model");
    row("cluster.tls", "model", "cluster.admission");
    row("cluster.accept", "model", "cluster.admission", "cluster.tls");
    row("cluster.peer", "model", "storage", "redundancy", "transfer", "cluster.admission", "cluster.tls");
    row("cluster.transfer", "model", "storage", "redundancy", "transfer", "cluster.peer");
    row("cluster.bridge", "model", "protocol", "storage", "cluster", "cluster.accept");
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
    JavaClasses program = Imported.program();

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
    assertThat(disorder("prefix.publish", "prefix.copy.container")).isNull();
    assertThat(disorder("prefix.metadata", "prefix.publish"))
        .isEqualTo("package prefix.metadata uses prefix.publish, which is above it");
    assertThat(disorder("prefix.metadata.deep", "prefix.metadata"))
        .isEqualTo("package prefix.metadata.deep has no place in the order of PackageTableTest");
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
        String target = dependency.getTargetClass().getBaseComponentType().getPackageName();
        Stream.of(complaint(name, target), target.startsWith(BASE + ".") ? disorder(name, within(target)) : null)
            .filter(Objects::nonNull)
            .forEach(complaint -> complaints.add(complaint + ": " + dependency.getDescription()));
      }
    }
    return complaints;
  }

  /** Returns the objection to a use of {@code target} (a full package name) in {@code user}; null if none. */
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

  /** Returns the objection to the position of {@code user} above {@code target}; null if none. */
  private static String disorder(String user, String target) {
    int above = FROM_THE_BOTTOM.indexOf(user);
    int below = FROM_THE_BOTTOM.indexOf(target);
    if (above < 0) {
      return "package " + user + " has no place in the order of PackageTableTest";
    }
    return below > above ? "package " + user + " uses " + target + ", which is above it" : null;
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

  static String within(String packageName) {
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
