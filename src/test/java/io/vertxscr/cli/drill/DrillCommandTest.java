package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: what makes no drill is refused with exit code 2, before any process is started or file made. */
class DrillCommandTest {
  @TempDir
  private Path directory;

  private CliRun drill(String... options) {
    List<String> words = new ArrayList<>(List.of("drill", "--cache", directory.toString()));
    words.addAll(List.of(options));
    return CliRun.of(Map.of("SCR_HOME", directory.resolve("none").toString()), words.toArray());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '!', textBlock = """
      --kill-command x{node}             ! --kill-command is for --live: this drill has a run of its own
      --yes-really                       ! --yes-really is for --live
      --live --nodes 3 --kill-command x  ! --nodes does not go with --live: the run is what it is
      --live --lose-cache                ! --lose-cache does not go with --live
      --live                             ! --live needs --kill-command
      """)
  void optionsOfTheOtherKindOfDrillAreRefused(String options, String why) {
    List<String> words = new ArrayList<>(List.of("drill"));
    words.addAll(List.of(options.strip().split(" +")));
    CliRun ran = CliRun.of(Map.of(), words.toArray());
    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).contains(why);
  }

  @Test
  void aLiveDrillWithoutDaemonsSaysSo() {
    CliRun ran = CliRun.of(Map.of("SCR_CNTL_BASE", directory.toString(), "SCR_CACHE_BASE", directory.toString(),
        "SCR_USER_NAME", "u", "SCR_JOB_ID", "1"), "drill", "--live", "--kill-command", "kill {node}");
    assertThat(ran.exit()).isEqualTo(1);
    assertThat(ran.err()).contains("no daemon of user u and job 1 runs on this host");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '!', textBlock = """
      --nodes 1                          ! a drill wants 2 nodes at least
      --nodes 0                          ! a drill wants 2 nodes at least
      --nodes 4 --ranks 3                ! 3 ranks on 4 nodes
      --kill-node node9                  ! expected some of node1, node2, node3, node4, but not all
      --kill-node node1,node2,node3,node4 ! but not all
      --hide-node node9                  ! expected some of node1, node2, node3, node4, but not all
      --hide-node node1 --lose-cache     ! --lose-cache: a node that is hidden keeps what it has
      --hide-node node1 --kill-node node2 ! --kill-node and --hide-node do not go together
      --every 1                          ! expected 1 to 1000, 2 to 1000
      --bytes -1                         ! no number of bytes
      --flush -1                         ! --flush -1: expected 0 or more
      --max-rto -1                       ! --max-rto -1.0: expected 0 seconds or more
      --max-rpo NaN                      ! --max-rpo NaN: expected 0 seconds or more
      --patience 0                       ! --patience 0: expected at least 1
      --scheme RAID                      ! RAID
      --junit .                          ! --junit .: is a directory
      """)
  void whatMakesNoDrillIsRefused(String options, String why) throws IOException {
    CliRun ran = drill(options.strip().split(" "));
    assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
    assertThat(ran.err()).contains(why);
    assertThat(ran.out()).isEmpty();
    try (Stream<Path> made = Files.list(directory)) {
      assertThat(made).isEmpty();
    }
  }

  @Test
  void aPlaceThatIsNoDirectoryIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    CliRun ran = drill("--prefix", file.toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains(file + " is not a directory");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(file);
    }
  }

  /** As where the installation is broken: the reports are written all the same, and nothing is left. */
  @Test
  void daemonsThatDoNotStartAreAFailedDrill() throws IOException {
    Path junit = directory.resolve("junit.xml");
    CliRun ran = drill("--seed", "3", "--json", "--junit", junit.toString(), "--patience", "20");
    assertThat(ran.exit()).as(ran.err()).isEqualTo(1);
    assertThat(ran.out()).contains("\"passed\" : false", "\"seed\" : 3");
    assertThat(Files.readString(junit)).contains("<failure message=\"node node");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(junit);
    }
  }

  @Test
  void withoutAnInstallationThereIsNoDrill() {
    assertThat(CliRun.of(Map.of(), "drill")).returns(2, CliRun::exit)
        .satisfies(ran -> assertThat(ran.err()).contains("SCR_HOME is not set"));
  }
}
