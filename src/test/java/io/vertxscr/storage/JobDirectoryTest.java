package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the daemons of a job on this host are found by their sockets, those of other jobs are not. */
class JobDirectoryTest {
  @TempDir
  private Path base;

  private Path socket(String user, String job, String node) throws IOException {
    Path directory = Files.createDirectories(new JobDirectory(base, user, job).node(node));
    return Files.createFile(new NodeDirectories(base, directory).socket());
  }

  @Test
  void onlySocketsOfTheJobAreFoundInTheOrderOfTheNodes() throws IOException {
    List<Path> mine = List.of(socket("u", "1", "n1"), socket("u", "1", "n2"));
    socket("u", "2", "n3");
    socket("v", "1", "n4");
    JobDirectory job = new JobDirectory(base, "u", "1");
    Files.createDirectories(job.node("n0"));
    assertThat(job.sockets()).isEqualTo(mine);
    assertThat(mine).extracting(JobDirectory::nodeOf).containsExactly("n1", "n2");
  }

  /** The base of caches, of which a daemon uses the directory of its job only. */
  @Test
  void whatOtherJobsOfTheUserHaveLeftInAStoreIsFound() throws IOException {
    Path empty = Path.of("");
    for (JobDirectory job : List.of(new JobDirectory(base, "u", "3"), new JobDirectory(base, "u", "1"),
        new JobDirectory(base, "u", "2"), new JobDirectory(base, "v", "1"))) {
      Files.createDirectories(job.node("n1"));
    }
    Files.createDirectories(base.resolve("u/lost+found"));
    NodeDirectories mine =
        new NodeDirectories(base, new JobDirectory(empty, "u", "1").node("n1"), base.resolve("control"));
    assertThat(mine.otherJobs(base)).containsExactly(base.resolve("u/scr.2"), base.resolve("u/scr.3"));
    assertThat(mine.otherJobs(base.resolve("elsewhere"))).isEmpty();
    assertThat(new NodeDirectories(base.resolve("u"), base.resolve("control")).otherJobs(base)).isEmpty();
  }

  @Test
  void whereNoneIsTheSentenceSaysWhoseWereLookedForAndWhere() throws IOException {
    JobDirectory job = new JobDirectory(base, "u", "1");
    for (int directories = 0; directories < 2; directories++) {
      assertThatThrownBy(job::sockets).isInstanceOf(ScrException.class)
          .hasMessageStartingWith("no daemon of user u and job 1 runs on this host (nothing listens in "
              + base.resolve("u/scr.1") + ")")
          .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.NODE_LOST);
      Files.createDirectories(job.node("n1"));
    }
  }

  @Test
  void daemonsThatHaveEndedAreToldWithTheJobWhereNoneIsLeft() {
    JobDirectory job = new JobDirectory(base, "u", "1");
    assertThat(job.ended(List.of("n1", "n2"), true))
        .isEqualTo("no daemon of user u and job 1 runs on this host any more (sockets are left of n1, n2 in "
            + job.path() + "): 'scr node' starts one, 'scr inspect' reads what they have left");
    assertThat(job.ended(List.of("n1", "n2"), false)).isEqualTo("no daemon runs any more as n1, n2");
  }
}
