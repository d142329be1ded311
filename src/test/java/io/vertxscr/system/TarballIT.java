package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.vertxscr.house.ReadmeExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what the tarball has runs in any directory, for users who cannot write to it. Method: it is unpacked
 * below a path with a space and made read-only; commands run as somebody whom permissions hold up, from another
 * directory.
 */
class TarballIT {
  /** Short: sockets have at most 107 bytes. */
  @TempDir
  private Path directory;
  private Path home;
  private Path work;

  @BeforeEach
  void unpack() throws Exception {
    home = Unpacked.tarball(Files.createDirectory(directory.resolve("a b")));
    work = Files.createDirectory(directory.resolve("w"));
    permit("a-w");
  }

  @AfterEach
  void permit() throws Exception {
    permit("u+w");                                         // else it could not be deleted
  }

  private void permit(String mode) throws Exception {
    Unpacked.run(directory, Map.of(), "chmod", "-R", mode, "a b").good();
  }

  @Test
  void itHasAllThatItPromises() throws IOException {
    assertThat(Stream.of("bin/scr", "bin/scr_srun", "conf/scr.conf", "conf/container/Containerfile", "verticles",
        "vertx-scr.jar", "lib", "clients/c/CMakeLists.txt", "clients/c/include/scr.h", "docs/scr-users.md",
        "share/man/man1/scr.1", "share/man/man1/scr-status.1", "share/bash-completion/completions/scr",
        "share/zsh/site-functions/_scr",
        "clients/python/vertx_scr-" + Unpacked.VERSION + "-py3-none-any.whl", "LICENSE", "NOTICE", "CHANGELOG.md",
        "README.md").map(home::resolve)).allSatisfy(file -> assertThat(file).exists());
    try (Stream<Path> all = Files.walk(home)) {
      assertThat(all.map(file -> file.getFileName().toString()))
          .noneMatch(name -> name.equals("__pycache__") || name.equals("target") || name.contains("junit"));
    }
  }

  /** The JVM keeps no class of a signed jar in its caches, and checks the signature at each start. */
  @Test
  void noLibraryIsASignedJar() throws IOException {
    for (String library : names(home.resolve("lib"))) {
      try (ZipFile jar = new ZipFile(home.resolve("lib").resolve(library).toFile())) {
        assertThat(jar.stream().map(ZipEntry::getName)).as(library)
            .noneMatch(name -> name.matches("META-INF/[^/]*\\.(SF|RSA|DSA|EC)"));
      }
    }
  }

  @Test
  void itsBillOfMaterialsNamesEveryLibrary() throws IOException {
    Path bill = home.resolve("vertx-scr.cdx.json");
    assumeTrue(Files.exists(bill), "built with Maven offline, where its plugin does nothing");
    Set<String> named = new JsonObject(Files.readString(bill)).getJsonArray("components").stream()
        .map(JsonObject.class::cast).map(one -> one.getString("name") + "-" + one.getString("version") + ".jar")
        .collect(Collectors.toSet());
    assertThat(named).containsExactlyInAnyOrderElementsOf(names(home.resolve("lib")));
  }

  @Test
  void aJobRunsWithItFromAnotherDirectory() throws Exception {
    assertThat(scr(Map.of(), "--version").good()).startsWith("scr " + Unpacked.VERSION + ", Java ");
    assertThat(scr(Map.of(), "config").good()).contains(home.resolve("conf/scr.conf").toString());

    Files.writeString(work.resolve("Example.java"), ReadmeExample.program());
    String java = System.getProperty("java.home") + "/bin/";
    String client = home.resolve("vertx-scr.jar").toString();
    Unpacked.run(work, Map.of(), java + "javac", "-proc:none", "-cp", client, "Example.java").good();
    Map<String, String> job = Map.of("SCR_CNTL_BASE", directory.resolve("c").toString(), "SCR_CACHE_BASE",
        directory.resolve("k").toString(), "SCR_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1", "SCR_AOT", "0",
        "SCR_RANK", "0", "SCR_RANKS", "1", "SCR_JOB_ID", "1", "SCR_USER_NAME", "u");
    assertThat(scr(job, "run", "--nodes", "2", java + "java", "-XX:TieredStopAtLevel=1", "-cp", client + ":.",
        "Example").good()).contains("run 1 begins on 2 nodes");

    assertThat(work.resolve("ckpt/20/state-0")).hasContent("20");
    assertThat(scr(Map.of(), "index", "--list").good()).contains("step-20");
    assertThat(Unpacked.run(work, Map.of("SCR_JAVA_HOME", System.getProperty("java.home")),
        home.resolve("bin/scr_index").toString(), "-l").good()).contains("step-20");
  }

  /** A Java that writes down only where it was told to: what the real one does with it, the load tests measure. */
  @Test
  void cachesOfClassesAreInTheInstallationOrWithTheUser() throws Exception {
    Path jdk = Files.createDirectories(directory.resolve("jdk/bin")).getParent();
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
    Path java = Files.writeString(jdk.resolve("bin/java"), """
        #!/bin/bash
        echo "$@"
        for option; do
          [[ $option != -XX:AOTCacheOutput=* ]] || echo classes >"${option#*=}"
        done
        """);
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Map<String, String> fake = Map.of("SCR_JAVA_HOME", jdk.toString());

    assertThat(scr(fake, "version").good()).doesNotContain("AOTCache");
    scr(fake, "--prepare").good();
    assertThat(names(work.resolve(".cache/vertx-scr"))).hasSize(2)
        .allMatch(name -> name.matches("scr-(node|commands)-\\d+\\.aot"));
    assertThat(scr(fake, "index").good()).contains("-XX:AOTCache=" + work.resolve(".cache/vertx-scr/scr-commands-"));
    assertThat(scr(with(fake, "XDG_CACHE_HOME", "/proc/none"), "--prepare"))
        .returns(3, Unpacked.Ran::exit).satisfies(ran -> assertThat(ran.said()).contains("nothing can be written to"));

    permit("u+w");
    scr(fake, "--prepare").good();
    permit("a-w");
    assertThat(names(home.resolve("aot"))).containsExactly("scr-commands.aot", "scr-node.aot");
    assertThat(scr(fake, "index").good()).contains("-XX:AOTCache=" + home.resolve("aot/scr-commands.aot"));
    assertThat(scr(fake, "node").good()).contains("-XX:AOTCache=" + home.resolve("aot/scr-node.aot"));
  }

  private static List<String> names(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static Map<String, String> with(Map<String, String> environment, String name, String value) {
    Map<String, String> more = new HashMap<>(environment);
    more.put(name, value);
    return more;
  }

  private Unpacked.Ran scr(Map<String, String> environment, String... arguments) throws Exception {
    Map<String, String> variables = new HashMap<>(Map.of("SCR_JAVA_HOME", System.getProperty("java.home")));
    variables.putAll(environment);
    String[] command = Stream.concat(Stream.of(home.resolve("bin/scr").toString()), Stream.of(arguments))
        .toArray(String[]::new);
    return Unpacked.run(work, variables, Unpacked.withoutRootsRights(command));
  }
}
