package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a node works in its own file system, under its own name. For a leader only with the newest token. */
class PrefixesTest {
  private FaultyDisk disk;
  private Prefixes prefixes;

  @BeforeEach
  void set() throws IOException {
    disk = new FaultyDisk(1 << 20);
    disk.directory("/prefix");
    prefixes = new Prefixes(new VirtualTime(new Random(1)).loop(new LocalFiles(disk.system())), "n1");
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
        .isEqualTo(Fault.NOT_LEADER);
    directory.as(newer).index().update(index -> index);
  }
}
