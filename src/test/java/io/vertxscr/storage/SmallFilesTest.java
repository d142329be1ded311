package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: files that are replaced whole, checked whole, and one daemon per node. */
class SmallFilesTest {
  private static final LocalFiles FILES = LocalFiles.ofThisMachine();

  @TempDir
  Path root;

  @Test
  void replacesAFileAndLeavesNoDraft() {
    Path file = root.resolve("index.scr");
    AtomicFile.replace(file, new byte[] {1});
    AtomicFile.replace(file, new byte[] {2, 3});
    assertThat(file).hasBinaryContent(new byte[] {2, 3});
    assertThat(root.toFile().list()).containsExactly("index.scr");
  }

  @Test
  void aReplacementThatFailsLeavesTheOldFileAndNoDraft() throws IOException {
    Path file = root.resolve("index.scr");
    Files.createDirectories(file.resolve("not empty"));
    assertThatThrownBy(() -> AtomicFile.replace(file, new byte[] {1}))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO))
        .hasMessageContaining(file.toString());
    assertThat(root.toFile().list()).containsExactly("index.scr");
    assertThatThrownBy(() -> AtomicFile.replace(root.resolve("nowhere/index.scr"), new byte[] {1}))
        .isInstanceOf(ScrException.class).hasMessageContaining("no such file or directory");
  }

  @Test
  void tellsAFullFileSystemFromOtherErrors() {
    Path path = Path.of("/cache/a");
    assertThat(Faults.io(path, new IOException("No space left on device")).fault()).isEqualTo(Fault.NO_SPACE);
    assertThat(Faults.io(path, new FileSystemException("/cache/a", null, "No space left on device")).fault())
        .isEqualTo(Fault.NO_SPACE);
    assertThat(Faults.io(path, new FileSystemException("/cache/a", null, "Disk quota exceeded")).fault())
        .isEqualTo(Fault.NO_SPACE);
    assertThat(Faults.io(path, new IOException("Input/output error")))
        .hasMessage("/cache/a: Input/output error").satisfies(e -> assertThat(e.fault()).isEqualTo(Fault.IO));
    assertThat(Faults.io(path, new NoSuchFileException("/cache/a"))).hasMessage("/cache/a: no such file or directory");
    assertThat(Faults.io(path, new IOException())).hasMessage("/cache/a: IOException");
  }

  @Test
  void admitsOneDaemonUntilItCloses() {
    var directories = new NodeDirectories(root.resolve("cache"), root.resolve("control")).create();
    var others = new NodeDirectories(root.resolve("cache2"), root.resolve("control2")).create();
    try (var _ = NodeLock.take(directories, FILES); var _ = NodeLock.take(others, FILES)) {
      assertDuplicate(directories);
      assertDuplicate(directories);
    }
    NodeLock.take(directories, FILES).close();
  }

  @Test
  void keepsOtherProcessesOutEvenAfterARefusalInThisOne() throws Exception {
    var directories = new NodeDirectories(root.resolve("cache"), root.resolve("control")).create();
    try (var _ = NodeLock.take(directories, FILES)) {
      assertDuplicate(directories);
      assertThat(takenByAnotherProcess(directories)).isFalse();
    }
    assertThat(takenByAnotherProcess(directories)).isTrue();
  }

  private static void assertDuplicate(NodeDirectories directories) {
    assertThatThrownBy(() -> NodeLock.take(directories, FILES))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DUPLICATE_NODE));
  }

  private static boolean takenByAnotherProcess(NodeDirectories directories) throws Exception {
    return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto", "-cp",
        System.getProperty("java.class.path"), TakesTheLock.class.getName(),
        directories.cache().toString(), directories.control().toString()).inheritIO().start().waitFor() == 0;
  }

  /** Another daemon. Exits with 0 if it got the lock, 3 if not. */
  public static final class TakesTheLock {
    public static void main(String[] arguments) {
      try (var _ = NodeLock.take(new NodeDirectories(Path.of(arguments[0]), Path.of(arguments[1])), FILES)) {
        System.exit(0);
      } catch (ScrException e) {
        System.exit(e.fault() == Fault.DUPLICATE_NODE ? 3 : 4);
      }
    }
  }

  @Test
  void findsEveryKindOfBadFile() throws IOException {
    Path file = root.resolve("a");
    Files.writeString(file, "123456789");
    var meta = new FileMeta("a", "out/a", 9, OptionalInt.of(0xcbf43926));
    assertThat(FileChecks.crc(file)).isEqualTo(0xcbf43926);
    assertThat(FileChecks.problem(root, meta)).isEmpty();
    assertThat(FileChecks.problem(root, meta.withCrc(1)).orElseThrow())
        .contains(file.toString(), "0xcbf43926", "0x00000001");
    assertThat(FileChecks.problem(root, new FileMeta("a", "out/a", 8, OptionalInt.empty())).orElseThrow())
        .contains("9 bytes instead of 8");
    assertThat(FileChecks.problem(root, new FileMeta("b", "out/b", 0, OptionalInt.empty())).orElseThrow())
        .contains("missing");
    Files.createSymbolicLink(root.resolve("link"), file);
    assertThat(FileChecks.problem(root, new FileMeta("link", "out/a", 9, OptionalInt.empty()))).isPresent();
  }
}
