package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: there is a whole file, or none, and never one of somebody else's making. */
class NewFileTest {
  @TempDir
  private Path directory;
  private Path file;

  @BeforeEach
  void choose() {
    file = directory.resolve("file");
  }

  private static NewFile.Writing<Integer> two() {
    return out -> out.write(ByteBuffer.wrap(new byte[] {1, 2}));
  }

  @Test
  void itIsForItsOwnerAloneUntilItGetsItsModeOrAsAnyNewFile() throws IOException {
    assertThat(NewFile.stamped(file, two())).isEqualTo(2);
    assertThat(file).hasBinaryContent(new byte[] {1, 2});
    assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(NewFile.plain(file, two())).isEqualTo(2);
    Path usual = Files.createFile(directory.resolve("usual"));
    assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(usual));
  }

  @Test
  void onEveryFailureThereIsNoFile() throws IOException {
    List<Exception> failures = List.of(new IOException("torn"), new ScrException(Fault.CORRUPT, "torn"),
        new IllegalStateException("torn"));
    for (Exception failure : failures) {
      Files.writeString(file, "old");
      assertThatThrownBy(() -> NewFile.stamped(file, out -> {
        two().to(out);
        if (failure instanceof IOException e) {
          throw e;
        }
        throw (RuntimeException) failure;
      })).hasMessage(failure instanceof IOException ? file + ": torn" : "torn");
      assertThat(file).doesNotExist();
    }
  }

  @Test
  void whatHadTheNameIsNotWrittenTo() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "old");
    Files.createSymbolicLink(file, other);
    NewFile.stamped(file, two());
    assertThat(other).hasContent("old");
    assertThat(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
    Files.createLink(directory.resolve("link"), file);
    NewFile.plain(file, out -> null);
    assertThat(directory.resolve("link")).hasBinaryContent(new byte[] {1, 2});
    assertThat(file).isEmptyFile();
  }
}
