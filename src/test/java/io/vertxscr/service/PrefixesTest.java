package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.Limits;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a node works in its own file system, under its own name, in the directories of its own runs. For a leader only
 * with the newest token.
 */
class PrefixesTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private FaultyDisk disk;
  private LocalFiles files;
  private Prefixes prefixes;

  @BeforeEach
  void set() throws IOException {
    disk = new FaultyDisk(1 << 20);
    disk.directory("/prefix");
    files = new LocalFiles(disk.system());
    prefixes = new Prefixes(time.loop(files), "n1");
    prefixes.admit("/prefix");
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  @Test
  void theDirectoryIsInTheFileSystemOfTheNode() {
    OpenPrefix directory = prefixes.open("/prefix/../prefix");
    assertThat(directory.paths().prefix()).isEqualTo(disk.system().getPath("/prefix"));
    directory.haltFile().update(halt -> halt.withReason(Optional.of("MAINTENANCE")));
    assertThat(prefixes.open("/prefix").haltFile().read()).isNotEqualTo(Halt.NONE);
    assertThat(directory.user().holder()).isEqualTo("node n1");
  }

  private Throwable named(String path) {
    return time.await(time.loop(files).call(() -> prefixes.named(path))).cause();
  }

  private static void assertOutside(Throwable refusal, String path) {
    assertThat(refusal).isInstanceOfSatisfying(ScrException.class, e -> {
      assertThat(e.fault()).isEqualTo(Fault.OUTSIDE_PREFIX);
      assertThat(e.getMessage()).contains("'" + path + "'");
    });
  }

  @Test
  void onlyDirectoriesThatWereAdmittedAreOpen() {
    for (String other : List.of("/", "/other", "/prefix/below", "/prefix/../other")) {
      assertOutside(catchThrowable(() -> prefixes.open(other)), other);
    }
    prefixes.admit("/other/../more/");
    assertThat(prefixes.open("/more").paths().prefix()).isEqualTo(disk.system().getPath("/more"));
  }

  @Test
  void whatOnlyAMessageNamesMustBeAPrefixDirectoryAlready() throws IOException {
    Path other = disk.directory("/other");
    assertOutside(named("/other"), "/other");
    assertOutside(named("/none"), "/none");
    Path scr = disk.directory("/elsewhere/.scr");
    Files.createSymbolicLink(other.resolve(".scr"), scr);
    assertOutside(named("/other"), "/other");
    assertThat(Files.list(scr)).isEmpty();
    assertThat(named("/elsewhere")).isNull();
    assertThat(prefixes.open("/elsewhere").paths().scr()).isEqualTo(scr);
    assertThat(named("/prefix")).as("admitted, and not looked at").isNull();
  }

  @Test
  void theOldestIsForgottenWhereThereAreTooMany() {
    for (int i = 0; i < Limits.MAX_PREFIXES; i++) {
      prefixes.open("/prefix");                           // in use, so it is not the oldest
      prefixes.admit("/p" + i);
    }
    prefixes.open("/prefix");
    assertOutside(catchThrowable(() -> prefixes.open("/p0")), "/p0");
  }

  @Test
  void aPathThatIsNotAbsoluteIsRefused() {
    assertThatThrownBy(() -> prefixes.open("prefix")).isInstanceOf(ScrException.class)
        .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.BAD_REQUEST);
  }

  @Test
  void whoHasAnOlderTokenChangesNothing() {
    OpenPrefix directory = prefixes.open("/prefix");
    PrefixToken older = PrefixFence.takeOver(directory.paths(), directory.user(), "n1", PrefixToken.id(1));
    directory.as(older).index().update(index -> index);
    PrefixToken newer = PrefixFence.takeOver(directory.paths(), directory.user(), "n2", PrefixToken.id(2));
    assertThatThrownBy(() -> directory.as(older).index().update(index -> index))
        .isInstanceOf(ScrException.class).extracting(failure -> ((ScrException) failure).fault())
        .isEqualTo(Fault.TAKEN_OVER);
    directory.as(newer).index().update(index -> index);
  }
}
