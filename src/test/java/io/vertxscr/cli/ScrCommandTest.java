package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: answers on standard output; a failure is one sentence on standard error and its exit code. */
class ScrCommandTest {
  @TempDir
  private Path directory;

  private record Ran(int exit, String out, String err) {}

  @Test
  void versionTellsTheVersionOfTheBuild() {
    Ran ran = run(Map.of(), "version");

    assertThat(ran.out()).matches("scr \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?, Java 2[5-9].*\\R");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
  }

  @ParameterizedTest
  @CsvSource({"--port, 99999, 1", "--port, 0, 1", "--port, -1, 1", "--http-port, 65536, 0",
      "--peer-port, -1, 0", "--bus-port, -1, 0"})
  void aPortThatIsNoneIsRefused(String option, String port, int least) {
    assertThat(run(Map.of(), "node", option, port)).returns(2, Ran::exit)
        .satisfies(ran -> assertThat(ran.err())
            .startsWith("scr: " + option + " " + port + ": a port is a number from " + least + " to 65535"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"foo", "foo:", ":5701", "foo:12x", "fd00::1:5701", "a b:1"})
  void aMemberThatIsNoHostAndPortIsRefused(String member) {
    assertThat(run(Map.of(), "node", "--members", "n1:5701," + member)).returns(2, Ran::exit)
        .satisfies(ran -> assertThat(ran.err())
            .startsWith("scr: --members: '" + member + "' is not HOST:PORT, such as n1:5701"));
  }

  @Test
  void filesThatAreNotThereAreToldInWords() {
    String none = directory.resolve("none").toString();
    Map<String, String> environment = Map.of("SCR_CNTL_BASE", directory.toString());
    assertThat(run(environment, "node", "--host", "127.0.0.1", "--secret-file", none)).returns(2, Ran::exit)
        .returns("scr: secret file " + none + " cannot be read: no such file or directory\n", Ran::err);
    assertThat(run(environment, "node", "--config", none)).returns(2, Ran::exit)
        .returns("scr: configuration file " + none + " cannot be read: no such file or directory\n", Ran::err);
  }

  @Test
  void aSecretThatOthersMayReadOrWriteIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "sixteen bytes and more");
    for (String mode : List.of("rw-------", "r--------", "rwx------")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      assertThat(SecretFile.read(file)).as(mode).hasSize(22);
    }
    for (String mode : List.of("rw----r--", "rw--w----", "rw-----w-", "rw-rw----")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString()), "node", "--host", "127.0.0.1",
          "--secret-file", file.toString())).as(mode).returns(2, Ran::exit)
          .returns("scr: secret file " + file + " is open to other users: chmod 600 " + file + "\n", Ran::err);
    }
  }

  @Test
  void whatIsNoSecretFileIsRefusedAndNotWaitedFor() throws Exception {
    Path fifo = directory.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", "-m", "600", fifo.toString()).start().waitFor()).isZero();
    Path large = Files.write(directory.resolve("large"), new byte[(1 << 16) + 1]);
    Files.setPosixFilePermissions(large, PosixFilePermissions.fromString("rw-------"));
    for (Path file : List.of(fifo, large)) {
      for (String option : List.of("--secret-file", "--http-token-file")) {
        assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString()), "node", "--host", "127.0.0.1", option,
            file.toString())).returns(2, Ran::exit)
            .satisfies(ran -> assertThat(ran.err()).contains(file + " cannot be read: ")
                .containsPattern("this is a FIFO|65537 bytes"));
      }
    }
  }

  @Test
  void aLinkToASecretIsFollowedWhereNoOtherUserHasMadeIt() throws IOException {
    Path file = Files.writeString(directory.resolve("..secret"), "sixteen bytes and more");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Path link = Files.createSymbolicLink(directory.resolve("secret"), Path.of("..secret"));
    assertThat(SecretFile.read(link)).hasSize(22);
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "not root");
    Files.setAttribute(link, "unix:uid", 54_321, LinkOption.NOFOLLOW_LINKS);
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> SecretFile.read(link))
        .withMessage("secret file " + link + " is a link of another user");
  }

  /** Kubernetes gives a secret to a pod as a file of root, with mode 0440 and the group that the pod asks for. */
  @ParameterizedTest
  @CsvSource({"r--r-----, true, false", "rw-r-----, true, false", "r--r-----, false, true", "rw-rw----, true, true",
      "r--r--r--, true, true", "r--------, false, false", "rw--w----, true, true"})
  void aFileOfRootMayBeReadableForTheGroupThatThisUserIsAlone(String mode, boolean groupMayRead, boolean open) {
    assertThat(SecretFile.isOpen(PosixFilePermissions.fromString(mode), groupMayRead)).isEqualTo(open);
  }

  @Test
  void aTokenThatIsNoneIsRefusedBeforeADaemonStarts() throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "too short");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString()), "node", "--http-token-file", file.toString()))
        .returns(2, Ran::exit)
        .satisfies(ran -> assertThat(ran.err()).startsWith("scr: a token has 16 to 1024").doesNotContain("too short"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString()), "node", "--http-token-file", file.toString()))
        .returns("scr: token file " + file + " is open to other users: chmod 600 " + file + "\n", Ran::err);
  }

  @Test
  void aPortForOperatorsThatIsNoneIsRefused() {
    assertThat(run(Map.of(), "node", "--http-port", "none")).returns(2, Ran::exit)
        .satisfies(ran -> assertThat(ran.err())
            .startsWith("scr: --http-port none: neither a number from 0 to 65535 nor off"));
  }

  /** An address of a documentation network (RFC 5737): the command has to end before it listens there. */
  @Test
  void withoutASecretNoDaemonListensBeyondLoopback() {
    assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString()), "node", "--host", "192.0.2.1"))
        .returns(2, Ran::exit).satisfies(ran -> assertThat(ran.err())
            .startsWith("scr: a daemon that others reach at 192.0.2.1 needs --secret-file"));
  }

  /** Whoever made the directory could put a secret of its own there, or look on. */
  @Test
  void noSecretIsMadeInADirectoryThatOthersCanChange() throws IOException {
    for (String level : List.of("u", "u/scr.1")) {
      Path base = Files.createDirectory(directory.resolve(level.replace('/', '-')));
      Path open = Files.createDirectories(base.resolve(level));
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThatExceptionOfType(ScrException.class).isThrownBy(() -> SecretFile.ofThisHost(base.resolve("u/scr.1")))
          .withMessageContaining(open + " is not safe");
      assertThat(base.resolve("u/scr.1/secret")).doesNotExist();
    }
  }

  @Test
  void daemonsOfOneHostShareASecretThatOneOfThemMakesForTheirUserAlone() throws IOException {
    Path job = directory.resolve("u/scr.1");
    byte[] made = SecretFile.ofThisHost(job);
    assertThat(made).hasSize(32);
    assertThat(SecretFile.ofThisHost(job)).isEqualTo(made);
    assertThat(Files.getPosixFilePermissions(job)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
    try (var files = Files.list(job)) {
      assertThat(files).containsExactly(job.resolve("secret"));
    }
    Files.move(job.resolve("secret"), directory.resolve("elsewhere"));
    Files.createSymbolicLink(job.resolve("secret"), directory.resolve("elsewhere"));
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> SecretFile.ofThisHost(job));
  }

  @Test
  void helpListsTheCommands() {
    assertThat(run(Map.of(), "help").out()).contains("config", "version", "help", "Print the value of every parameter");
  }

  @Test
  void helpAndVersionAreOptionsToo() {
    assertThat(List.of(run(Map.of(), "--help"), run(Map.of(), "-h"))).containsOnly(run(Map.of(), "help"));
    assertThat(List.of(run(Map.of(), "--version"), run(Map.of(), "-V"))).containsOnly(run(Map.of(), "version"));
    for (String command : List.of("run", "halt", "config", "status")) {
      assertThat(run(Map.of(), command, "-h")).isEqualTo(run(Map.of(), command, "--help")).returns(0, Ran::exit)
          .satisfies(ran -> assertThat(ran.out()).startsWith("Usage: scr " + command));
    }
  }

  private static String gone(Path job) {
    return "scr: no daemon of user u and job 1 runs on this host any more (sockets are left of node1, node2 in " + job
        + "): 'scr node' starts one, 'scr inspect' reads what they have left\n";
  }

  @Test
  void socketsOfDaemonsThatAreGoneAreToldInOneLine() throws IOException {
    Path job = directory.resolve("u/scr.1");
    for (String node : List.of("node1", "node2")) {
      Path socket = Files.createDirectories(job.resolve(node)).resolve("scr.sock");
      try (var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        channel.bind(UnixDomainSocketAddress.of(socket));
      }
    }
    assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString(), "SCR_USER_NAME", "u", "SCR_JOB_ID", "1"), "status"))
        .isEqualTo(new Ran(1, "", gone(job)));
    for (String[] words : new String[][] {{"events"}, {"drain", "n1"}, {"scrub"}, {"drop", "1"}}) {
      assertThat(run(Map.of("SCR_CNTL_BASE", directory.toString(), "SCR_USER_NAME", "u", "SCR_JOB_ID", "1"), words))
          .as(words[0]).isEqualTo(new Ran(1, "", gone(job)));
    }
    Path one = job.resolve("node1/scr.sock");
    assertThat(run(Map.of(), "drain", "n1", "--socket", one.toString()).err())
        .startsWith("scr: no daemon listens on " + one).endsWith("; 'scr node' starts a daemon, and says where it"
            + " listens\n");
  }

  @Test
  void configPrintsEveryValueWithItsSourceInColumns() throws IOException {
    Path file = Files.writeString(directory.resolve("scr.conf"), "SCR_FLUSH=3\nSCR_CACHE_SIZE=2\n");
    Ran ran = run(Map.of("SCR_SET_SIZE", "4", "USER", "alice"), "config", "--config", file.toString(), "SCR_FLUSH=5");

    assertThat(ran.out().lines().map(line -> line.replaceAll(" +", " ")))
        .contains("configuration of the system: " + file, "configuration of the user: none")
        .contains("SCR_CACHE_SIZE 2 " + file + " line 2")
        .contains("SCR_FLUSH 5 config call \"SCR_FLUSH=5\"")
        .contains("SCR_SET_SIZE 4 environment of the application")
        .contains("SCR_COPY_TYPE XOR default")
        .contains("SCR_USER_NAME alice USER")
        .contains("0 1 NODE /tmp XOR 4 1")
        .contains("/tmp NODE 2 - 1");
    assertThat(ran).returns(0, Ran::exit).returns("", Ran::err);
  }

  @Test
  void configShowsDescriptorsStoresAndGroupsToProgramsToo() throws IOException {
    Path file = Files.writeString(directory.resolve("scr.conf"), """
        SCR_COPY_TYPE=FILE
        CKPT=0 TYPE=SINGLE
        CKPT=1 INTERVAL=4 TYPE=PARTNER GROUP=POWER OUTPUT=1
        STORE=/tmp COUNT=3
        GROUPS=n1 POWER=psu1
        """);
    JsonObject json = new JsonObject(run(Map.of(), "config", "--json", "--config", file.toString()).out());

    assertThat(json.getJsonArray("checkpoints").getJsonObject(1).getMap()).containsAllEntriesOf(Map.of(
        "ckpt", 1, "interval", 4, "group", "POWER", "store", "/tmp", "type", "PARTNER", "output", true));
    assertThat(json.getJsonArray("stores").getJsonObject(0).getMap()).containsEntry("count", 3);
    assertThat(json.getJsonObject("groups").encode()).isEqualTo("{\"n1\":{\"POWER\":\"psu1\"}}");
    assertThat(json.getJsonArray("parameters").encode())
        .contains("{\"name\":\"SCR_FLUSH\",\"scope\":\"RUN\",\"value\":\"10\",\"from\":\"default\"}");
  }

  @Test
  void aNamedPrefixDirectoryThatIsNotThereIsRefused() {
    Ran ran = run(Map.of(), "config", "--prefix", directory.resolve("tpyo").toString());

    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
    assertThat(ran.err()).contains("prefix directory " + directory.resolve("tpyo") + " is not there");
  }

  @Test
  void theFileOfTheUserStandsInThePrefixDirectory() throws IOException {
    Files.writeString(directory.resolve(".scrconf"), "SCR_FLUSH=2\n");

    assertThat(run(Map.of(), "config", "--prefix", directory.toString()).out().replaceAll(" +", " "))
        .contains("SCR_FLUSH 2 " + directory.resolve(".scrconf") + " line 1");
  }

  @Test
  void configExplainsOnRequest() {
    String page = run(Map.of(), "config", "--explain").out();
    assertThat(page).contains("checkpoints kept in the cache");
    assertThat(page.replaceAll(" +", " ")).contains("CKPT COMPRESS one of NONE, ZSTD files are compressed",
        "CKPT INTERVAL ", "STORE COUNT ", "GROUPS=node1 POWER=psu1");
  }

  @Test
  void theConfigurationOfTheInstallationIsUsedWhereItExists() throws IOException {
    Map<String, String> environment = Map.of("SCR_HOME", directory.toString());
    assertThat(run(environment, "config").out()).contains("configuration of the system: none");

    Files.createDirectories(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf/scr.conf"), "SCR_FLUSH=7\n");
    assertThat(run(environment, "config").out()).contains("scr.conf line 1");
  }

  @Test
  void aWrongConfigurationIsOneSentenceAndExitCode2() throws IOException {
    Path file = Files.writeString(directory.resolve("scr.conf"), "SCR_FLSH=3\n");

    assertThat(run(Map.of(), "config", "--file", file.toString())).isEqualTo(new Ran(2, "",
        "scr: " + file + " line 1: unknown parameter SCR_FLSH; did you mean SCR_FLUSH?\n"));
  }

  @Test
  void theStackIsShownOnlyForDebugging() {
    Map<String, String> wrong = Map.of("SCR_FLUSH", "x");

    assertThat(run(wrong, "config").err()).hasLineCount(1);
    assertThat(run(Map.of("SCR_FLUSH", "x", "SCR_DEBUG", "1"), "config").err()).contains("\tat io.vertxscr");
  }

  @Test
  void aNameThatOnlyLooksLikeAParameterIsReportedBesideTheAnswer() {
    assertThat(run(Map.of("SCR_FLSH", "1"), "config"))
        .returns(0, Ran::exit)
        .returns("scr: SCR_FLSH in the environment is not a parameter; did you mean SCR_FLUSH?\n", Ran::err);
  }

  @ParameterizedTest
  @CsvSource({
      "confg,         'there is no command ''confg''; did you mean config?'",
      "frobnicate,    'there is no command ''frobnicate'''",
      "help drlil,    'there is no command ''drlil''; did you mean drain?'",
      "'',            'a command is missing; one of demo, node, status, scrub, events, halt, drain, "
          + "flush, drop, config, run, "
          + "prerun, postrun, should-exit, list-down-nodes, index, copy, scavenge, inspect, explain, print, "
          + "drill, version, help'",
      "node --name d:e, '--name: ''d:e'' cannot name a node: use letters, digits, ''.'', ''_'', ''-'', at most 128 "
          + "characters, starting with a letter or digit'",
      "drill --nodes 1, 'a drill wants 2 nodes at least: one must be left when another is lost'",
      "config --flie x, 'Unknown option: ''--flie''; did you mean --file?'",
      "halt --unset, 'Unknown option: ''--unset''; there are --unset-after, --unset-all, --unset-before, "
          + "--unset-checkpoints, --unset-reason, --unset-seconds'",
      "halt --checkpoints abc, 'Invalid value for option ''--checkpoints'': ''abc'' is not an integer in range'",
      "halt --seconds 1y, '--seconds ''1y'' is no length of time; expected seconds, or 1h30m'",
      "drill --bytes 30XB, 'Invalid value for option ''--bytes'': ''30XB'' is no number of bytes; expected one such as "
          + "4096, 300KB or 1.5g'",
      "halt --chekpoints=3, 'Unknown option: ''--chekpoints=3''; did you mean --checkpoints?'"})
  void aWrongCommandLineIsASentenceAndExitCode2(String line, String sentence) {
    Ran ran = run(Map.of(), line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(ran.err().lines().findFirst().orElseThrow()).isEqualTo("scr: " + sentence);
    assertThat(ran.err()).hasLineCount(2);
    assertThat(ran).returns(2, Ran::exit).returns("", Ran::out);
  }

  /** P is a prefix directory without any dataset, with an empty directory for caches beside it. */
  @ParameterizedTest
  @ValueSource(strings = {
      "halt P --seconds 1y", "halt P --checkpoints -1", "halt P --before never", "halt P --after never",
      "halt P --remove --checkpoints 3", "halt P --list --immediate", "halt P/none P", "halt P --unset",
      "index --prefix P --drop x", "index --prefix P --drop-after x", "index --prefix P --current x",
      "index --prefix P --add 5", "index --prefix P --add x", "index --prefix P --build 5", "index --prefix P --scan 5",
      "index --prefix P --verify x", "index --prefix P --build --bad",
      "copy --prefix P --id 0", "copy --prefix P --id 5", "copy --prefix P --id x",
      "scavenge --prefix P --id 0", "scavenge --prefix P --hosts a --remote= --id 5",
      "explain --prefix P x", "explain --prefix P", "explain --prefix P --if-lost n1", "explain --prefix P survival",
      "explain --prefix P --if-lost any --socket P/none", "run --prefix P --nodes 1", "run --prefix P --nodes 0 true",
      "run --prefix P --nodes 1 --port 0 true", "run --prefix P --nodes 1 --port 65536 true",
      "run --prefix P --nodes 1 --runs -2 true", "run --prefix P --hosts n[ true", "prerun --prefix P --hosts n[",
      "demo --out P/demo --scheme SINGLE", "demo --out P/demo --ranks 0"})
  void whatIsRefusedLeavesTheDirectoryAsItWas(String line) throws IOException {
    Path prefix = Files.createDirectory(directory.resolve("p"));
    Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "SCR_USER_NAME", "u",
        "SCR_CNTL_BASE", directory.toString(), "SCR_CACHE_BASE", directory.toString());

    Ran ran = run(environment, line.replace("P", prefix.toString()).split(" "));

    assertThat(ran.exit()).as(ran.toString()).isNotZero();
    assertThat(ran.err() + ran.out()).isNotBlank();
    assertThat(prefix).isEmptyDirectory();
    assertThat(directory).isDirectoryNotContaining(file -> !file.equals(prefix));
  }

  private static Ran run(Map<String, String> environment, String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exit = ScrCommand.run(environment, new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    return new Ran(exit, out.toString(), err.toString());
  }
}
