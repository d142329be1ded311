package io.vertxscr.storage.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NewFile;
import io.vertxscr.storage.OwnFile;
import io.vertxscr.storage.RegularFile;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: files, directories and links mean on an object store what they mean on a disk. What it cannot do is refused.
 * Method: the program's own classes for files, on a store in memory with the rules of S3.
 */
class ObjectFileSystemTest {
  private static final int PART = 1 << 12;
  private static final Stamp STAMP = new Stamp(0604, 1_700_000_000L, 123_456_789);

  private final MemoryObjectStore store = new MemoryObjectStore(PART);
  private final ObjectMachine machine = new ObjectMachine(store, PART);

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  private static String key(String relative) {
    return ObjectMachine.KEYS + relative;
  }

  private Path write(String relative, byte[] bytes) {
    Path path = machine.path(relative);
    NewFile.stamped(path, out -> {
      for (int at = 0; at < bytes.length; at += 1000) {
        out.write(ByteBuffer.wrap(bytes, at, Math.min(1000, bytes.length - at)));
      }
      FileStamps.apply(STAMP, path);
      out.force(true);
      return null;
    });
    return path;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1000, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 500})
  void aDraftThatIsRenamedHasItsBytesModeAndTimeForOtherProcesses(int count) throws IOException {
    byte[] bytes = bytes(count);
    Path draft = write(".draft", bytes);
    Object inode = Files.readAttributes(draft, BasicFileAttributes.class).fileKey();
    Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE);

    Path elsewhere = new ObjectMachine(store, PART).path("file");
    assertThat(RegularFile.bytes(elsewhere, Integer.MAX_VALUE)).isEqualTo(bytes);
    assertThat(FileStamps.read(elsewhere)).isEqualTo(STAMP);
    assertThat(Files.readAttributes(elsewhere, BasicFileAttributes.class).fileKey())
        .as("the same inode").isEqualTo(inode);
    assertThat(store.keys()).containsExactly(key("file"));
    assertThat(store.openUploads()).isZero();
  }

  /** A scavenge that was killed there could never be done again: its drafts could not be deleted. */
  @Test
  void aTreeIsDeletedInWhichAProcessHasDiedBetweenTheEndOfAnUploadAndItsRename() throws IOException {
    Files.createDirectories(machine.path("drafts/2"));
    Path draft = write("drafts/2/large", bytes(3 * PART));
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void before(String call, String key) throws IOException {
        if (call.equals("copy")) {
          throw new IOException("it is killed");
        }
      }
    });
    assertThatThrownBy(() -> Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE))
        .hasMessage("it is killed");
    store.disturb(MemoryObjectStore.Interference.NONE);

    ObjectMachine next = new ObjectMachine(store, PART);
    assertThat(Files.exists(next.path("drafts/2/large"))).as("what it has left").isFalse();
    Trees.delete(next.path("drafts"));
    assertThat(store.keys()).isEmpty();
  }

  /** The client asks again, or the next attempt does; the store knows the upload no more. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUploadWhoseEndHasHappenedIsRecognisedWhenItIsRepeated(boolean byClient) throws IOException {
    byte[] bytes = bytes(3 * PART);
    Path draft = write("draft", bytes);
    store.disturb(new MemoryObjectStore.Interference() {
      private boolean isLost;

      @Override
      public void after(String call, String key) throws IOException {
        if (call.equals("complete") && !isLost) {
          isLost = true;
          throw byClient ? new NoSuchFileException("upload") : new IOException("no answer");
        }
      }
    });
    if (!byClient) {
      assertThatThrownBy(() -> Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE))
          .hasMessage("no answer");
    }
    Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(RegularFile.bytes(new ObjectMachine(store, PART).path("file"), Integer.MAX_VALUE)).isEqualTo(bytes);
    assertThat(store.keys()).containsExactly(key("file"));
  }

  @Test
  void extentsInAnyOrderMakeOneFile() throws IOException {
    byte[] bytes = bytes(5 * PART + 7);
    Path draft = machine.path("draft");
    OwnFile.create(draft).close();
    for (int extent : List.of(2, 0, 1)) {
      try (FileChannel out = FileChannel.open(draft, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
        int from = extent * 2 * PART;
        ByteBuffer piece = ByteBuffer.wrap(bytes, from, Math.min(2 * PART, bytes.length - from));
        out.write(piece, from);
        out.force(true);
      }
    }
    assertThat(store.sentBytes()).as("all parts, the last one too").isEqualTo(bytes.length);
    try (FileChannel out = FileStamps.reopen(draft)) {
      FileStamps.apply(STAMP, draft);
      out.force(true);
    }
    assertThat(Files.size(draft)).isEqualTo(bytes.length);
    Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE);

    assertThat(RegularFile.bytes(machine.path("file"), Integer.MAX_VALUE)).isEqualTo(bytes);
    assertThat(FileStamps.read(machine.path("file"))).isEqualTo(STAMP);
  }

  @Test
  void noByteLeavesBeforeItIsWrittenAndAtMostAPartWaits() throws IOException {
    Path draft = machine.path("draft");
    try (FileChannel out = OwnFile.create(draft)) {
      long written = 0;
      for (int piece = 0; piece < 40; piece++) {
        long before = store.sentBytes();
        assertThat(before).isLessThanOrEqualTo(written);
        assertThat(written - before).isLessThan(PART);
        out.write(ByteBuffer.wrap(bytes(700)));
        written += 700;
      }
    }
  }

  /** As compressed files are written: in one go, with syncs on the way. */
  @Test
  void aFileThatWasSyncedWhileItWasSmallMayGrowAlsoWhenItIsOpenedAgain() throws IOException {
    byte[] bytes = bytes(3 * PART + 100);
    Path draft = machine.path("draft");
    try (FileChannel out = OwnFile.create(draft)) {
      out.write(ByteBuffer.wrap(bytes, 0, 100));
      out.force(true);
    }
    try (FileChannel out = FileStamps.reopen(draft)) {
      out.truncate(100).position(100);
      out.write(ByteBuffer.wrap(bytes, 100, PART));
      out.force(true);
      out.write(ByteBuffer.wrap(bytes, PART + 100, bytes.length - PART - 100));
      FileStamps.apply(STAMP, draft);
      out.force(true);
    }
    Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(RegularFile.bytes(machine.path("file"), Integer.MAX_VALUE)).isEqualTo(bytes);
    assertThat(FileStamps.read(machine.path("file"))).isEqualTo(STAMP);
  }

  @Test
  void aLogThatWouldBecomeLargerThanAPartIsRefusedAndStays() throws IOException {
    AtomicFile.replace(machine.path("log"), bytes(PART - 1));
    assertThatThrownBy(() -> {
      try (FileChannel out = RegularFile.append(machine.path("log"))) {
        out.write(ByteBuffer.wrap(bytes(1)));
        out.write(ByteBuffer.wrap(bytes(1)));
      }
    }).hasMessageContaining("cannot be changed in place");
    assertThat(RegularFile.bytes(new ObjectMachine(store, PART).path("log"), PART)).startsWith(bytes(PART - 1));
    assertThat(store.openUploads()).isZero();
  }

  @Test
  void aDraftWhoseEndCannotBeCutOffIsBegunAnew() throws IOException {
    Path draft = write("draft", bytes(3 * PART));
    try (FileChannel out = FileStamps.reopen(draft)) {
      assertThatThrownBy(() -> out.truncate(PART + 1)).hasMessageContaining("written again");
    }
    assertThat(Files.exists(draft)).isFalse();
    assertThat(store.openUploads()).isZero();
  }

  @Test
  void aHoleIsRefusedAndNothingHasTheName() throws IOException {
    Path draft = machine.path("draft");
    try (FileChannel out = OwnFile.create(draft)) {
      out.write(ByteBuffer.wrap(bytes(2 * PART)), PART);
    }
    assertThatThrownBy(() -> Files.move(draft, machine.path("file"), StandardCopyOption.ATOMIC_MOVE))
        .isInstanceOf(FileSystemException.class).hasMessageContaining("holes");
    assertThat(Files.exists(machine.path("file"))).isFalse();
    Files.delete(draft);
    assertThat(store.openUploads()).isZero();
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void aLargeDraftOfADeadProcessIsNotThereAndItsUploadIsAborted() throws IOException {
    Path draft = write("draft", bytes(3 * PART));
    ObjectMachine next = new ObjectMachine(store, PART);
    assertThat(store.openUploads()).isOne();
    assertThat(Files.exists(next.path("draft"))).isFalse();

    byte[] other = bytes(2 * PART + 5);
    NewFile.stamped(next.path("draft"), out -> out.write(ByteBuffer.wrap(other)));
    assertThat(store.openUploads()).as("its own alone").isOne();
    assertThat(FileChecks.crc(next.path("draft"))).as("read, so it is whole in the store").isNotZero();

    ObjectMachine third = new ObjectMachine(store, PART);
    assertThat(Files.exists(third.path("draft"))).as("without its mode and time").isFalse();
    Files.move(next.path("draft"), next.path("file"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(RegularFile.bytes(third.path("file"), Integer.MAX_VALUE)).isEqualTo(other);
    assertThatThrownBy(() -> Files.move(draft, machine.path("late"), StandardCopyOption.ATOMIC_MOVE))
        .isInstanceOf(IOException.class);
    assertThat(store.keys()).containsExactly(key("file"));
  }

  @Test
  void whoSweepsADirectoryGivesUpTheLargeDraftsOfOthers() throws IOException {
    Files.createDirectory(machine.path("run"));
    write("run/.a.draft-3.n1", bytes(3 * PART));
    write("run/.a.draft-4.n1", bytes(2 * PART));
    Path below = Files.createDirectory(machine.path("run/b"));
    write("run/b/.a.draft-3.n1", bytes(2 * PART));
    ObjectMachine other = new ObjectMachine(store, PART);
    assertThat(other.system().abandon(other.path("run"), ".*draft-3.*")).isOne();
    assertThat(store.openUploads()).isEqualTo(2);
    assertThat(other.system().abandon(other.path(below.toString()), ".*draft-3.*")).isOne();
    assertThat(store.openUploads()).isOne();
    assertThatThrownBy(() -> Files.move(machine.path("run/.a.draft-3.n1"), machine.path("late")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aSmallDraftOfADeadProcessIsThere() throws IOException {
    write("draft", bytes(100));
    ObjectMachine next = new ObjectMachine(store, PART);
    Files.move(next.path("draft"), next.path("file"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(FileStamps.read(next.path("file"))).isEqualTo(STAMP);
  }

  @Test
  void aSmallFileIsReplacedByOnePut() throws IOException {
    List<String> calls = new ArrayList<>();
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void before(String call, String key) {
        calls.add(call + " " + key);
      }
    });
    AtomicFile.replace(machine.path("index"), bytes(10));
    assertThat(calls).containsExactly("put " + key("index"));
    assertThat(RegularFile.bytes(machine.path("index"), 10)).isEqualTo(bytes(10));
  }

  @Test
  void linesAreAppendedAndSomebodyElsesAreNotOverwritten() throws IOException {
    Path log = machine.path("log");
    for (String line : List.of("one\n", "two\n")) {
      try (FileChannel out = RegularFile.append(log)) {
        out.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        out.force(true);
      }
    }
    FileChannel slow = RegularFile.append(log);
    AtomicFile.replace(new ObjectMachine(store, PART).path("log"), "other\n".getBytes(
        StandardCharsets.UTF_8));
    slow.write(ByteBuffer.wrap(new byte[] {'x'}));
    assertThatThrownBy(() -> slow.force(true)).isInstanceOf(ObjectStore.ConditionFailedException.class);
    assertThatThrownBy(slow::close).isInstanceOf(IOException.class);
    assertThat(store.texts()).containsEntry(key("log"), "other\n");
  }

  @Test
  void directoriesAreMadeListedAndRemovedAsOnADisk() throws IOException {
    Path deep = machine.path("a/b/c");
    Files.createDirectories(deep);
    write("a/b/file", bytes(1));
    write("a/b-file", bytes(1));
    assertThatThrownBy(() -> Files.createDirectory(machine.path("a/b"))).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> Files.createDirectory(machine.path("x/y"))).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Files.delete(machine.path("a"))).isInstanceOf(DirectoryNotEmptyException.class);
    try (Stream<Path> found = Files.list(machine.path("a"))) {
      assertThat(found).containsExactlyInAnyOrder(machine.path("a/b"), machine.path("a/b-file"));
    }
    try (Stream<Path> found = Files.walk(machine.path(""))) {
      assertThat(found.filter(Files::isRegularFile)).hasSize(2);
    }
    try (var found = Files.newDirectoryStream(machine.path("a"), "b-*")) {
      assertThat(found).containsExactly(machine.path("a/b-file"));
    }
    AtomicFile.force(deep);
    Trees.delete(machine.path("a"));
    assertThat(store.keys()).isEmpty();
    assertThat(Files.isDirectory(machine.path(""))).as("the mount itself").isTrue();
  }

  @Test
  void aLinkIsTheSameFileUntilOneOfThemIsReplaced() throws IOException {
    Path file = write("file", bytes(2 * PART));
    Path kept = machine.path("kept");
    Files.createLink(kept, file);
    assertThat(Files.isSameFile(kept, file)).isTrue();
    assertThatThrownBy(() -> Files.createLink(kept, file)).isInstanceOf(FileAlreadyExistsException.class);
    write("other", bytes(2 * PART));
    Files.move(machine.path("other"), file, StandardCopyOption.ATOMIC_MOVE);
    assertThat(Files.isSameFile(kept, file)).isFalse();
    assertThat(FileStamps.read(kept)).isEqualTo(STAMP);
  }

  @Test
  void pathsOutsideTheMountAreNotThere() throws IOException {
    Path above = machine.path("../other/file").normalize();
    assertThat(Files.exists(above)).isFalse();
    assertThatThrownBy(() -> OwnFile.create(above)).isInstanceOf(NoSuchFileException.class);
    assertThat(Files.isDirectory(machine.path("").getRoot())).isTrue();
    assertThat(machine.files().path("/ckpt/x")).isEqualTo(machine.path("x"));
    assertThat(ObjectFileSystem.has(machine.files().path("/ckptx"))).isFalse();
  }

  @Test
  void directoriesAndLargeFilesInPlaceAreRefused() throws IOException {
    Files.createDirectories(machine.path("a"));
    assertThatThrownBy(() -> Files.move(machine.path("a"), machine.path("b")))
        .hasMessageContaining("cannot be renamed");
    Files.move(write("draft", bytes(2 * PART)), machine.path("file"));
    assertThatThrownBy(() -> RegularFile.append(machine.path("file")))
        .hasMessageContaining("cannot be changed in place");
  }

  /** Each write happens and its answer is lost; the client's repetition then fails by its condition. */
  @Test
  void aWriteWhoseAnswerIsLostIsRecognised() throws IOException {
    store.disturb(new MemoryObjectStore.Interference() {
      private boolean again;

      @Override
      public void after(String call, String key) throws IOException {
        if (call.equals("put") && !again) {
          again = true;
          try {
            throw new ObjectStore.ConditionFailedException(key);
          } finally {
            again = false;
          }
        }
      }
    });
    Files.createDirectories(machine.path("a"));
    write("a/file", bytes(10));
    assertThat(RegularFile.bytes(machine.path("a/file"), 10)).isEqualTo(bytes(10));
  }

  /** A multipart flush over an older file, with a failure at each call in turn, before it happens or after. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whateverCallFailsTheOldFileOrTheNewOneIsWholeAndTheSameFlushSucceedsLater(boolean happens) throws IOException {
    byte[] before = bytes(2 * PART + 1);
    byte[] after = bytes(2 * PART + 3);
    boolean failed = true;
    for (int at = 1; failed; at++) {
      store.disturb(MemoryObjectStore.Interference.NONE);
      store.clear("");
      Files.move(write("draft", before), machine.path("file"));
      int failing = at;
      int[] calls = new int[1];
      store.disturb(new MemoryObjectStore.Interference() {
        private void fail() throws IOException {
          if (++calls[0] == failing) {
            throw new IOException("503 SlowDown");
          }
        }

        @Override
        public void before(String call, String key) throws IOException {
          if (!happens) {
            fail();
          }
        }

        @Override
        public void after(String call, String key) throws IOException {
          if (happens) {
            fail();
          }
        }
      });
      failed = fails(() -> Files.move(write("draft", after), machine.path("file")));
      store.disturb(MemoryObjectStore.Interference.NONE);
      assertThat(RegularFile.bytes(new ObjectMachine(store, PART).path("file"), Integer.MAX_VALUE))
          .as("call %d", at).isIn(before, after);
      Files.move(write("draft", after), machine.path("file"));
      assertThat(RegularFile.bytes(new ObjectMachine(store, PART).path("file"), Integer.MAX_VALUE)).isEqualTo(after);
      assertThat(store.keys()).as("call %d", at).containsExactly(key("file"));
      assertThat(calls[0]).as("calls until the failure").isGreaterThanOrEqualTo(failed ? at : 1);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static boolean fails(Work work) {
    try {
      work.run();
      return false;
    } catch (IOException | ScrException _) {
      return true;
    }
  }
}
