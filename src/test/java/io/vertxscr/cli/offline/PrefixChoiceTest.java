package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.cli.CliRun;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.TestCaches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: no answer about a directory that no dataset is of. Method: every kind of working directory and caches. */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class PrefixChoiceTest {
  @TempDir
  private Path temp;

  private PrefixPaths directory(String name) throws IOException {
    return new PrefixPaths(Files.createDirectories(temp.resolve(name)));
  }

  private static PrefixChoice choice(PrefixPaths directory, boolean named) {
    return new PrefixChoice(directory, named, Path::of);
  }

  private String path(String name) throws IOException {
    return directory(name).prefix().toString();
  }

  @Test
  void aNamedDirectoryIsTakenWhateverTheCachesHold() throws IOException {
    List<String> remarks = new ArrayList<>();
    assertThat(choice(directory("here"), true).among(List.of(path("a"), path("b")), remarks))
        .isEqualTo(directory("here"));
    assertThat(remarks).isEmpty();
  }

  @Test
  void theWorkingDirectoryIsTakenWhereADatasetIsOfIt() throws IOException {
    List<String> remarks = new ArrayList<>();
    Files.createSymbolicLink(temp.resolve("link"), directory("here").prefix());
    assertThat(choice(directory("here"), false).among(List.of(path("a"), temp.resolve("link").toString()), remarks))
        .as("under another path").isEqualTo(directory("here"));
    assertThat(remarks).isEmpty();

    TestCaches published = new TestCaches(temp.resolve("p"), Scheme.XOR, 2, 1, 10);
    published.dataset(1, "a.1");
    assertThat(CliRun.of(Map.of(), "scavenge", "--prefix", published.prefix, "--control", published.control).exit())
        .isZero();
    PrefixPaths paths = new PrefixPaths(published.prefix);
    assertThat(choice(paths, false).among(List.of(path("a")), remarks)).as("by its index").isEqualTo(paths);
    assertThat(remarks).isEmpty();
  }

  @Test
  void elseTheOnlyOneOfTheCachesIsTakenAndNamed() throws IOException {
    Files.createDirectories(directory("here").scr());
    Files.createSymbolicLink(temp.resolve("link"), directory("a").prefix());
    List<String> remarks = new ArrayList<>();
    assertThat(choice(directory("here"), false).among(List.of(path("a"), temp.resolve("link").toString()), remarks))
        .isEqualTo(directory("a"));
    assertThat(remarks).containsExactly("no dataset belongs to the working directory " + path("here")
        + ": this is about " + path("a") + ", to which those of the caches belong");
    assertThatThrownBy(() -> choice(directory("here"), false).among(List.of(temp + "/gone"), remarks))
        .isInstanceOf(ScrException.class).hasMessage("prefix directory " + temp + "/gone is not there");
  }

  @Test
  void severalOrNoneAreAskedFor() throws IOException {
    List<String> remarks = new ArrayList<>();
    assertThatThrownBy(() -> choice(directory("here"), false).among(List.of(path("a"), path("b")), remarks))
        .isInstanceOf(ScrException.class).hasMessageContaining("say one of --prefix " + path("a") + ", --prefix "
            + path("b"));
    assertThatThrownBy(() -> choice(directory("here"), false).among(List.of(), remarks))
        .isInstanceOf(ScrException.class).hasMessageContaining("say --prefix DIR");
    assertThat(remarks).isEmpty();
  }

  /** The working directory of the tests is the prefix directory of no run. */
  @Test
  void theCommandAnswersAboutTheRunAndNotAboutTheWorkingDirectory() {
    TestCaches caches = new TestCaches(temp.resolve("run"), Scheme.XOR, 4, 1, 100);
    caches.dataset(5, "b.5");
    CliRun loss = CliRun.of(Map.of(), "explain", "--control", caches.control, "--if-lost", "n1");
    assertThat(loss).as(loss.toString()).returns(0, CliRun::exit);
    assertThat(loss.out()).contains("restart   dataset 5 'b.5' of the caches, as now", "no checkpoint is lost");
    assertThat(loss.err()).contains(": this is about " + caches.prefix + ", to which those of the caches belong\n");
    CliRun dataset = CliRun.of(Map.of(), "explain", "--control", caches.control, "5");
    assertThat(dataset).as(dataset.toString()).returns(0, CliRun::exit);
    CliRun survival = CliRun.of(Map.of(), "explain", "--control", caches.control, "survival", "--mtbf", 1000);
    assertThat(survival).as(survival.toString()).returns(0, CliRun::exit);

    TestCaches none = new TestCaches(temp.resolve("none"), Scheme.XOR, 2, 1, 10);
    CliRun refused = CliRun.of(Map.of(), "explain", "--control", none.control, "--if-lost", "n1");
    assertThat(refused).as("all of it would be lost, it said").returns(1, CliRun::exit).returns("", CliRun::out);
    assertThat(refused.err()).contains("say --prefix DIR");
  }
}
