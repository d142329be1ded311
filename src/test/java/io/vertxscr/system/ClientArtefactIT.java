package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertxscr.house.ReadmeExample;
import io.vertxscr.timing.Eventually;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the Java client is an artefact by itself. It has all classes that it needs, no other, and SLF4J alone behind
 * it.
 */
class ClientArtefactIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().normalize();
  private static final String NAME = "vertx-scr-client";
  private static final Set<String> WITH_VERTX =
      Set.of("io.vertxscr.client.BusTransport", "io.vertxscr.protocol.ReplyFaults");

  @TempDir
  private Path directory;

  @Test
  void itsClassesAreThoseThatTheClientNeedsAndTheyNeedNothingElse() throws Exception {
    JavaClasses jar;
    try (JarFile file = new JarFile(Unpacked.file(NAME + "-" + Unpacked.VERSION + ".jar").toFile())) {
      jar = new ClassFileImporter().importJar(file);
      assertThat(file.getEntry("io/vertxscr/version.properties")).isNotNull();
      assertThat(file.getEntry("META-INF/LICENSE")).isNotNull();
    }
    Set<String> there = jar.stream().map(JavaClass::getName).collect(Collectors.toCollection(TreeSet::new));
    Set<String> wrong = new TreeSet<>();
    Set<String> reached = new TreeSet<>();
    Deque<String> next = new ArrayDeque<>(
        there.stream().filter(name -> name.startsWith("io.vertxscr.client.")).toList());
    assertThat(next).hasSizeGreaterThan(15);
    while (!next.isEmpty()) {
      String name = next.remove();
      if (reached.add(name)) {
        for (Dependency dependency : jar.get(name).getDirectDependenciesFromSelf()) {
          String target = dependency.getTargetClass().getBaseComponentType().getName();
          if (there.contains(target)) {
            next.add(target);
          } else if (!isAllowed(name, target)) {
            wrong.add(name + " needs " + target);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    there.removeAll(reached);
    assertThat(there).as("classes that nothing needs").allMatch(name -> name.endsWith("package-info")
        || reached.contains(name.replaceFirst("\\$.*", "")) || isMessage(name));
  }

  /** Messages stay together, for programs that speak them without the client's classes. */
  private static boolean isMessage(String name) {
    return name.startsWith("io.vertxscr.protocol.app.");
  }

  private static boolean isAllowed(String user, String target) {
    return target.startsWith("java.") || target.startsWith("jdk.net.") || !target.contains(".")
        || target.startsWith("org.slf4j.")
        || target.startsWith("io.vertx.") && WITH_VERTX.contains(user.replaceFirst("\\$.*", ""));
  }

  @Test
  void sourcesAndDocumentsGoWithIt() throws Exception {
    try (JarFile sources = new JarFile(Unpacked.file(NAME + "-" + Unpacked.VERSION + "-sources.jar").toFile());
        JarFile classes = new JarFile(Unpacked.file(NAME + "-" + Unpacked.VERSION + ".jar").toFile());
        JarFile documents = new JarFile(Unpacked.file(NAME + "-" + Unpacked.VERSION + "-javadoc.jar").toFile())) {
      assertThat(classes.stream().map(entry -> entry.getName()).filter(name -> name.endsWith(".class")))
          .allSatisfy(name -> assertThat(
              sources.getEntry(name.replaceFirst("(\\$.*)?\\.class$", ".java"))).as(name).isNotNull());
      assertThat(documents.getEntry("io/vertxscr/client/Scr.html")).isNotNull();
      assertThat(documents.getEntry("io/vertxscr/service")).isNull();
    }
    assertThat(Files.readString(Unpacked.file("client/bom.json"))).contains("\"version\": \"" + Unpacked.VERSION + '"')
        .doesNotContain("${");
  }

  /**
   * The program of the README, built by Maven in a project whose repository has nothing but the client; all else comes
   * from the repository of this build, as from a remote one, so that it needs no network.
   */
  @Test
  void aProgramIsBuiltAgainstItInAFreshRepositoryAndMakesItsCheckpoints() throws Exception {
    assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(place -> Files.isExecutable(Path.of(place, "mvn"))), "no mvn on the PATH");
    Path repository = directory.resolve("repository");
    Path ours = Files.createDirectories(repository.resolve("io/vertxscr/" + NAME + "/" + Unpacked.VERSION));
    Files.copy(Unpacked.file(NAME + "-" + Unpacked.VERSION + ".jar"),
        ours.resolve(NAME + "-" + Unpacked.VERSION + ".jar"));
    Files.copy(Unpacked.file("client/pom.xml"), ours.resolve(NAME + "-" + Unpacked.VERSION + ".pom"));
    Path project = Files.createDirectory(directory.resolve("project"));
    Files.writeString(Files.createDirectories(project.resolve("src/main/java")).resolve("Example.java"),
        ReadmeExample.program());
    Files.writeString(project.resolve("pom.xml"), """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>org.example</groupId>
          <artifactId>example</artifactId>
          <version>1</version>
          <properties><maven.compiler.release>25</maven.compiler.release></properties>
          <dependencies>
            <dependency>
              <groupId>io.vertxscr</groupId>
              <artifactId>%s</artifactId>
              <version>%s</version>
            </dependency>
          </dependencies>
        </project>
        """.formatted(NAME, Unpacked.VERSION));
    Files.writeString(project.resolve("settings.xml"), """
        <settings><mirrors><mirror>
          <id>build</id><mirrorOf>*</mirrorOf><url>%s</url>
        </mirror></mirrors></settings>
        """.formatted(Path.of(System.getProperty("maven.repository")).toUri()));
    String plugins = "org.apache.maven.plugins:maven-%s-plugin:%s:%s";
    Unpacked.run(project, Map.of("JAVA_HOME", System.getProperty("java.home")), "mvn", "-q", "-B", "-s", "settings.xml",
        "-Dmaven.repo.local=" + repository, plugins.formatted("compiler", version("maven-compiler-plugin"), "compile"),
        plugins.formatted("dependency", version("maven-dependency-plugin"), "build-classpath"),
        "-Dmdep.outputFile=classpath").good();

    String classpath = Files.readString(project.resolve("classpath")).strip();
    assertThat(Stream.of(classpath.split(":")).map(Path::of).map(Path::getFileName).map(Path::toString))
        .satisfiesExactly(client -> assertThat(client).isEqualTo(NAME + "-" + Unpacked.VERSION + ".jar"),
            slf4j -> assertThat(slf4j).startsWith("slf4j-api-"));
    try (DaemonCluster cluster = new DaemonCluster(Map.of())) {
      DaemonProcess daemon = cluster.start("n1");
      Path prefix = cluster.newPrefix();
      Unpacked.Ran ran = Unpacked.run(prefix, Map.of("SCR_SOCKET", daemon.socket().toString(), "SCR_RANK", "0",
          "SCR_RANKS", "1"), System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-cp",
          classpath + ":" + project.resolve("target/classes"), "Example");
      assertThat(ran.good()).isEmpty();
      Eventually.holds("the last checkpoint is in the prefix directory",
          () -> Files.exists(prefix.resolve("ckpt/20/state-0")));
    }
  }

  /** The one that this build has. */
  private static String version(String plugin) throws Exception {
    return Pattern.compile("<artifactId>" + plugin + "</artifactId>\\s*<version>([^<]+)</version>")
        .matcher(Files.readString(HOME.resolve("pom.xml"))).results().map(match -> match.group(1)).findFirst()
        .orElseThrow();
  }

  @Test
  void itsPomAsksForSlf4jAndNothingElseThatIsNotOptional() throws Exception {
    String pom = Files.readString(Unpacked.file("client/pom.xml"));
    List<String> dependencies = Pattern.compile("(?s)<dependency>(.*?)</dependency>").matcher(pom).results()
        .map(match -> match.group(1)).toList();
    assertThat(pom).contains("<version>" + Unpacked.VERSION + "</version>").doesNotContain("${");
    assertThat(dependencies).satisfiesExactly(slf4j -> assertThat(slf4j).contains("slf4j-api"),
        vertx -> assertThat(vertx).contains("vertx-core", "<optional>true</optional>"));
  }
}
