package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: {@code bin/scr} starts from anywhere with a JDK that is new enough, or says what is missing. */
class LauncherIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home"));
  private static final String JDK = System.getProperty("java.home");

  @TempDir
  private Path directory;

  private record Ran(int exit, String out, String err) {}

  @Test
  void itRunsFromAnotherDirectoryAndThroughLinks() throws Exception {
    Path first = Files.createSymbolicLink(directory.resolve("first"), HOME.resolve("bin/scr"));
    Files.createSymbolicLink(directory.resolve("second"), Path.of("first"));

    Ran ran = run(directory.resolve("second"), Map.of("SCR_JAVA_HOME", JDK), "config");

    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
    assertThat(ran.out()).contains("configuration of the system: " + HOME.resolve("conf/scr.conf"));
    assertThat(first).exists();
  }

  @Test
  void anAnswerOnStandardOutputIsAllThatIsPrinted() throws Exception {
    assertThat(run(HOME.resolve("bin/scr"), Map.of("SCR_JAVA_HOME", JDK), "version"))
        .returns(0, Ran::exit).returns("", Ran::err)
        .satisfies(ran -> assertThat(ran.out()).hasLineCount(1).startsWith("scr "));
  }

  @Test
  void aLinkByTheNameOfACommandRunsThatCommand() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("scr_version"), HOME.resolve("bin/scr"));
    assertThat(run(link, Map.of("SCR_JAVA_HOME", JDK), "--help")).returns(0, Ran::exit)
        .satisfies(ran -> assertThat(ran.out()).contains("scr version"));
  }

  @Test
  void aLinkByTheNameOfACommandOfScrTakesItsOptionsAndAnswersInItsForm() throws Exception {
    Path prefix = directory.resolve("p");
    new PrefixIndex(new PrefixPaths(Files.createDirectory(prefix)), PatientLocks.user("test", Duration.ofSeconds(1)))
        .update(index -> index.put(Index.Entry.flushed(new DatasetDescriptor(7, "ckpt.7", DatasetFlags.CHECKPOINT, 7, 7,
            new Job("u", "", "1", ""), new DatasetDescriptor.Totals(1, 1)), true,
            LocalDateTime.of(2026, 11, 20, 11, 58, 50))));

    assertThat(run(HOME.resolve("bin/scr_index"), Map.of("SCR_JAVA_HOME", JDK), "-l", "-p", prefix.toString()))
        .isEqualTo(new Ran(0, """
            DSET VALID FLUSHED             CUR NAME
               7 YES   2026-11-20T11:58:50     ckpt.7
            """, ""));
    assertThat(run(HOME.resolve("bin/kvtree_print"), Map.of("SCR_JAVA_HOME", JDK),
        prefix.resolve(".scr/index.scr").toString()).out()).contains("VERSION = ");
  }

  /** Method: a shell makes the name, because this JVM may have no locale either. */
  @ParameterizedTest
  @ValueSource(strings = {"LANG", "LC_CTYPE", "LC_ALL"})
  void namesOfFilesNeedNotBeAsciiWhereThereIsNoLocale(String variable) throws Exception {
    Path script = Files.writeString(directory.resolve("halt"), """
        #!/usr/bin/env bash
        unset LANG LC_CTYPE LC_ALL
        export %s=C
        prefix=%s/$(printf 'd\\303\\251p\\303\\264t')
        mkdir -p "$prefix"
        %s halt --prefix "$prefix" --checkpoints 3 && test -s "$prefix/.scr/halt.scr"
        """.formatted(variable, directory, HOME.resolve("bin/scr")));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    assertThat(run(script, Map.of("SCR_JAVA_HOME", JDK))).returns(0, Ran::exit).returns("", Ran::err);
  }

  @Test
  void aJdkIsJudgedByItsReleaseFile() throws Exception {
    Path old = jdk("17.0.2");
    assertThat(run(HOME.resolve("bin/scr"), Map.of("SCR_JAVA_HOME", old.toString()), "version"))
        .isEqualTo(new Ran(3, "", "scr: SCR_JAVA_HOME=" + old + " is not a JDK 25 or newer\n"));

    Path young = jdk("26-ea");
    assertThat(run(HOME.resolve("bin/scr"), Map.of("SCR_JAVA_HOME", young.toString()), "--java-home"))
        .isEqualTo(new Ran(0, young + "\n", ""));
  }

  @Test
  void theJdkOfJavaHomeComesBeforeOthersIfItIsNewEnough() throws Exception {
    Path young = jdk("25.0.1");
    assertThat(run(HOME.resolve("bin/scr"), Map.of("JAVA_HOME", young.toString()), "--java-home").out())
        .isEqualTo(young + "\n");

    Path old = jdk("21.0.1");
    assertThat(run(HOME.resolve("bin/scr"), Map.of("JAVA_HOME", old.toString(), "PATH", JDK + "/bin:/usr/bin:/bin"),
        "--java-home").out()).isEqualTo(Path.of(JDK).toRealPath() + "\n");
  }

  @Test
  void aDaemonHasVectorsWhereTheConfigurationAsksForReedSolomonAndNoneOtherwise() throws Exception {
    Path jdk = jdk("25.0.1");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");
    Path other = Files.writeString(directory.resolve("other.conf"), "# CKPT=0 TYPE=RS\nSCR_COPY_TYPE=XOR\n");
    Path entry = Files.writeString(directory.resolve("entry.conf"), "CKPT=0 GROUP=NODE TYPE=rs SET_FAILURES=2\n");
    Path prefix = Files.createDirectory(directory.resolve("prefix"));
    Files.writeString(prefix.resolve(".scrconf"), "SCR_COPY_TYPE = RS\n");

    for (Map<String, String> asked : List.of(Map.<String, String>of(), Map.of("SCR_CONF_FILE", other.toString()),
        Map.of("SCR_COPY_TYPE", "RS", "SCR_VECTOR", "0"))) {
      assertThat(vectors(jdk, asked)).as("%s", asked).isFalse();
    }
    for (Map<String, String> asked : List.of(Map.of("SCR_COPY_TYPE", "rs"), Map.of("SCR_VECTOR", "1"),
        Map.of("SCR_CONF_FILE", entry.toString()), Map.of("SCR_PREFIX", prefix.toString()))) {
      assertThat(vectors(jdk, asked)).as("%s", asked).isTrue();
    }
  }

  @Test
  void aDaemonHasNoVectorsWhereTheLoaderFindsIsaL() throws Exception {
    Path jdk = jdk("25.0.1");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");
    Path libraries = Files.createDirectory(directory.resolve("lib"));
    Files.createFile(libraries.resolve("libisal.so.2"));
    Map<String, String> found = Map.of("SCR_COPY_TYPE", "RS", "LD_LIBRARY_PATH", "/none:" + libraries, "SCR_ISAL", "1");

    assertThat(vectors(jdk, found)).isFalse();
    Map<String, String> asked = new HashMap<>(found);
    asked.put("SCR_VECTOR", "1");
    assertThat(vectors(jdk, asked)).isTrue();
  }

  @Test
  void workOnFilesHasTheSecondCompilerAndAListStartsWithTheFirstOneAlone() throws Exception {
    Path jdk = jdk("25.0.1");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");
    Map<String, String> environment = Map.of("SCR_JAVA_HOME", jdk.toString(), "SCR_AOT", "0");
    for (String line : List.of("index --add 6", "index --prefix /p --build", "index --verify=b.6", "index --scan 6",
        "copy --id 6", "explain b.6", "inspect", "scavenge")) {
      assertThat(run(HOME.resolve("bin/scr"), environment, line.split(" ")).out())
          .doesNotContain("TieredStopAtLevel").endsWith("vertx-scr.jar " + line + "\n");
    }
    assertThat(run(HOME.resolve("bin/scr_index"), environment, "-b", "6").out())
        .doesNotContain("TieredStopAtLevel").endsWith("vertx-scr.jar scr_index -b 6\n");
    for (String line : List.of("index --list", "index --prefix /p --drop b.6", "index --current b.6", "print f",
        "status", "config", "scr_index -p /p --list", "scr_halt -b now")) {
      assertThat(run(HOME.resolve("bin/scr"), environment, line.split(" ")).out())
          .contains("-XX:TieredStopAtLevel=1").endsWith("vertx-scr.jar " + line + "\n");
    }
  }

  /** Of a daemon on this JDK; unknown ones would be ignored, so the words for that are left out. */
  @Test
  void theJvmKnowsAllOptionsAndPrintsNothingAboutThem() throws Exception {
    Path jdk = jdk("25.0.1");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$@\"\n");
    for (String vector : List.of("0", "1")) {
      String out = run(HOME.resolve("bin/scr"),
          Map.of("SCR_JAVA_HOME", jdk.toString(), "SCR_AOT", "0", "SCR_VECTOR", vector), "node").out();
      List<String> options = new ArrayList<>(List.of(out.substring(0, out.indexOf(" -jar ")).split(" ")));
      assertThat(options.remove("-XX:+IgnoreUnrecognizedVMOptions")).isTrue();
      assertThat(options).anyMatch(option -> option.startsWith("-XX:Tier"));
      options.add("--version");
      Ran ran = run(Path.of(System.getProperty("java.home"), "bin/java"), Map.of(), options.toArray(String[]::new));
      assertThat(ran.exit()).as(ran.err()).isZero();
      assertThat(ran.out()).startsWith("openjdk");
      assertThat(ran.err()).isIn("", "WARNING: Using incubator modules: jdk.incubator.vector\n");
    }
  }

  /** Without ISA-L, which this machine may have, unless the environment says so. */
  private boolean vectors(Path jdk, Map<String, String> environment) throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("SCR_ISAL", "0"));
    all.putAll(environment);
    all.putAll(Map.of("SCR_JAVA_HOME", jdk.toString(), "SCR_AOT", "0"));
    Ran ran = run(HOME.resolve("bin/scr"), all, "node");
    assertThat(ran).returns(0, Ran::exit).satisfies(r -> assertThat(r.out()).contains("vertx-scr.jar node"));
    assertThat(ran.out().contains("-Dscr.isal=false")).isEqualTo("0".equals(all.get("SCR_ISAL")));
    return ran.out().contains("--add-modules jdk.incubator.vector");
  }

  /** Creates a directory that looks like a JDK of this version. */
  private Path jdk(String version) throws IOException {
    Path jdk = directory.resolve("jdk-" + version);
    Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
    assertThat(Files.createFile(java).toFile().setExecutable(true)).isTrue();
    Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return jdk;
  }

  private Ran run(Path program, Map<String, String> environment, String... arguments) throws Exception {
    File out = directory.resolve("out").toFile();
    File err = directory.resolve("err").toFile();
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).directory(directory.toFile())
        .redirectOutput(out).redirectError(err);
    var variables = new HashMap<>(Map.of("PATH", "/usr/bin:/bin", "HOME", directory.toString()));
    variables.putAll(environment);
    builder.environment().clear();
    builder.environment().putAll(variables);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Ran(process.exitValue(), Files.readString(out.toPath()), Files.readString(err.toPath()));
  }
}
