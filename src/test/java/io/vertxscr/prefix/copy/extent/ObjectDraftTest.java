package io.vertxscr.prefix.copy.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.extent.LargeDraft.Places;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a limit of bandwidth holds for an object store, whose parts are sent when they are full. */
class ObjectDraftTest {
  private static final int PART = 1 << 20;
  private static final int EXTENT = 4 * PART;

  @TempDir
  private Path directory;

  private final MemoryObjectStore store = new MemoryObjectStore(PART);
  private final ObjectMachine machine = new ObjectMachine(store, PART);
  private Path source;
  private FileMeta file;

  @BeforeEach
  void writeSource() throws IOException {
    byte[] bytes = new byte[2 * EXTENT + 12_345];
    new Random(7).nextBytes(bytes);
    source = Files.write(directory.resolve("source"), bytes);
    file = new FileMeta("source", "source", bytes.length, OptionalInt.of(FileChecks.crc(source)));
  }

  private LargeDraft draft() {
    return new LargeDraft(
        new Places(source, machine.path("draft"), machine.path("marks")), file, "owner", "the file", EXTENT);
  }

  @Test
  void noMoreBytesAreSentThanWereGrantedAndAllButAPartOfThemAre() throws Exception {
    LargeDraft draft = draft();
    Grants grants = new Grants();
    long marks = 0;

    for (int extent = draft.count() - 1; extent >= 0; extent--) {
      try (ResumableCopy copy = draft.copy(extent, grants, () -> {})) {
        boolean done = false;
        while (!done) {
          grants.open = true;
          done = copy.resume();
          long sent = store.sentBytes("draft");
          assertThat(sent).as("sent").isLessThanOrEqualTo(grants.passed);
          assertThat(grants.passed - sent).as("waiting").isLessThan(done ? 1 : PART + 1);
        }
      }
      marks++;
    }

    assertThat(marks).isEqualTo(3);
    assertThat(grants.pauses).as("pauses").isGreaterThan(10);
    Files.move(machine.path("draft"), machine.path("file"), StandardCopyOption.ATOMIC_MOVE);
    assertThat(FileChecks.crc(machine.path("file"))).isEqualTo(file.crc().getAsInt());
  }

  /** As a rule of the bucket does it after days, or somebody by hand. @param extents that are durable by then */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aDraftWhoseUploadWasAbortedByTheStoreIsCopiedAgain(int extents) throws Exception {
    LargeDraft first = draft();
    for (int extent = 0; extent < extents; extent++) {
      ResumableCopy.run(first.copy(extent, Meter.NONE, () -> {}));
    }
    for (String upload : store.uploadIds()) {
      store.abort(ObjectMachine.KEYS + "draft", upload);
    }

    assertThat(extents == 0 || fails(first)).as("the attempt that meets it").isTrue();
    assertThat(fails(draft())).as("the next one").isFalse();
    assertThat(FileChecks.crc(machine.path("file"))).isEqualTo(file.crc().getAsInt());
    assertThat(store.openUploads()).isZero();
  }

  private boolean fails(LargeDraft draft) {
    try {
      for (int extent = 0; extent < draft.count(); extent++) {
        ResumableCopy.run(draft.copy(extent, Meter.NONE, () -> {}));
      }
      Files.move(machine.path("draft"), machine.path("file"), StandardCopyOption.ATOMIC_MOVE);
      return false;
    } catch (ScrException | IOException _) {
      return true;
    }
  }

  /** Admits one piece at a time. */
  private static final class Grants implements Meter {
    private boolean open;
    private long passed;
    private int pauses;

    @Override
    public boolean admits(long bytes) {
      boolean admitted = open;
      open = false;
      pauses += admitted ? 0 : 1;
      return admitted;
    }

    @Override
    public void passing(int bytes) {
      passed += bytes;
    }
  }
}
