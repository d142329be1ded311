package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what cannot be looked at is not taken for missing. Method: a name that no file system takes. */
class PresenceTest {
  @TempDir
  Path directory;

  private static void assertFails(Fault fault, ThrowingCallable look) {
    assertThatThrownBy(look).isInstanceOfSatisfying(ScrException.class,
        failure -> assertThat(failure.fault()).isEqualTo(fault));
  }

  @Test
  void anErrorIsNoAnswer() throws IOException {
    Path error = directory.resolve("x".repeat(300));
    assertThat(Files.exists(error)).as("what the library says").isFalse();
    assertFails(Fault.IO, () -> Presence.exists(error));
    assertFails(Fault.IO, () -> Presence.isFile(error));
    assertFails(Fault.IO, () -> SourceFile.flushed(error, "a file of the newest checkpoint").open());
  }

  @Test
  void whatIsThereIsToldFromWhatIsNot() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    assertThat(Presence.isFile(file)).isTrue();
    assertThat(Presence.exists(link)).isTrue();
    assertThat(Presence.isFile(link)).isFalse();
    assertThat(Presence.isFile(directory)).isFalse();
    assertThat(Presence.exists(directory.resolve("none").resolve("below"))).isFalse();
    assertThat(Presence.exists(file.resolve("below"))).isFalse();
    assertFails(Fault.CORRUPT, () -> SourceFile.flushed(file.resolve("below"), "a file").open());
    assertFails(Fault.CORRUPT, () -> SourceFile.flushed(directory, "a file").open());
  }
}
