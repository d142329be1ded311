package io.vertxscr.storage.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: no two processes hold a lock that excludes, whoever dies or is stopped. Who has lost one changes nothing.
 * Method: processes with clocks of their own on one store.
 */
class LockLeasesTest {
  private static final int PART = 1 << 12;
  private static final String LOCK = ".scr/index.lock";

  private final MemoryObjectStore store = new MemoryObjectStore(PART);
  private final ObjectMachine one = new ObjectMachine(store, PART);
  private final ObjectMachine two = new ObjectMachine(store, PART);

  /** An attempt, as PrefixLock makes it. */
  private static FileChannel lock(ObjectMachine machine, boolean shared) throws IOException {
    FileChannel channel = RegularFile.change(machine.path(LOCK));
    if (channel.tryLock(0, Long.MAX_VALUE, shared) == null) {
      channel.close();
      return null;
    }
    return channel;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void anExclusiveLockExcludesAllUntilItIsGivenBack() throws IOException {
    try (FileChannel _ = lock(one, false)) {
      assertThat(lock(two, false)).isNull();
      assertThat(lock(two, true)).isNull();
    }
    FileChannel next = lock(two, false);
    assertThat(next).isNotNull();
    next.close();
    assertThat(Files.exists(two.path(LOCK))).as("the lock file itself").isTrue();
    try (var names = Files.list(two.path(".scr"))) {
      assertThat(names).as("leases are no files").containsExactly(two.path(LOCK));
    }
  }

  /** Both have the lock file open before one of them has the lock. */
  @Test
  void whoGetsTheLockSeesWhatTheLastHolderHasWrittenThoughItOpenedTheFileBefore() throws IOException {
    FileChannel first = RegularFile.change(one.path(LOCK));
    FileChannel second = RegularFile.change(two.path(LOCK));
    assertThat(first.tryLock()).isNotNull();
    first.write(ByteBuffer.wrap(text("first")), 0);
    assertThat(second.tryLock()).isNull();
    first.close();
    assertThat(second.tryLock()).isNotNull();
    ByteBuffer read = ByteBuffer.allocate(10);
    second.read(read, 0);
    assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(text("first")));
    second.write(ByteBuffer.wrap(text("other")), 0);
    second.close();
    assertThat(store.texts()).containsEntry(ObjectMachine.KEYS + LOCK, "other");
  }

  @Test
  void sharersDoNotExcludeEachOther() throws IOException {
    try (FileChannel first = lock(one, true); FileChannel second = lock(two, true)) {
      assertThat(first).isNotNull();
      assertThat(second).isNotNull();
      ObjectMachine third = new ObjectMachine(store, PART);
      assertThat(lock(third, false)).isNull();
      FileChannel also = lock(third, true);
      assertThat(also).as("after an attempt that was given back").isNotNull();
      also.close();
    }
    FileChannel alone = lock(one, false);
    assertThat(alone).isNotNull();
    alone.close();
  }

  @ParameterizedTest(name = "shared: {0}")
  @ValueSource(booleans = {true, false})
  void theLockOfADeadProcessIsTakenOverAfterItsLeaseByTheClockOfWhoWaits(boolean shared) throws IOException {
    assertThat(lock(one, shared)).isNotNull();            // and dies: its clock stands still
    assertThat(lock(two, false)).isNull();
    two.passes(20);
    assertThat(lock(two, false)).as("not longer than the lease").isNull();
    two.passes(1);
    FileChannel taken = lock(two, false);
    assertThat(taken).isNotNull();
    taken.close();
  }

  @Test
  void whoRenewsKeepsItAndWhoLooksSeldomTakesNothing() throws IOException {
    FileChannel held = lock(one, false);
    for (int i = 0; i < 20; i++) {
      assertThat(lock(two, false)).isNull();
      one.passes(14);
      two.passes(19);
      one.system().renewLocks();
    }
    two.passes(1000);
    assertThat(lock(two, false)).as("a version that is new to it").isNull();
    AtomicFile.replace(one.path("file"), text("x"));
    held.close();
  }

  @Test
  void whoCouldNotRenewInTimeChangesNothingMore() throws IOException {
    AtomicFile.replace(one.path("file"), text("old"));
    FileChannel held = lock(one, false);
    one.passes(15);
    Path file = one.path("file");
    assertThatThrownBy(() -> AtomicFile.replace(file, text("new"))).hasMessageContaining("lock was lost");
    assertThatThrownBy(() -> Files.move(file, one.path("other"), StandardCopyOption.ATOMIC_MOVE))
        .hasMessageContaining("lock was lost");
    assertThatThrownBy(() -> Files.delete(file)).hasMessageContaining("lock was lost");
    assertThatThrownBy(() -> Files.createLink(one.path("link"), file)).hasMessageContaining("lock was lost");
    one.system().renewLocks();
    assertThatThrownBy(() -> Files.delete(file)).as("a late renewal changes nothing").hasMessageContaining("lost");
    held.close();
    AtomicFile.replace(file, text("without the lock"));
  }

  @Test
  void aTakenLockCannotBeRenewedNorGivenBackByWhoHadIt() throws IOException {
    FileChannel lost = lock(one, false);
    assertThat(lock(two, false)).isNull();
    two.passes(21);
    FileChannel taken = lock(two, false);
    assertThat(taken).isNotNull();
    one.system().renewLocks();
    assertThatThrownBy(() -> AtomicFile.replace(one.path("file"), text("x"))).hasMessageContaining("lock was lost");
    lost.close();
    assertThat(lock(new ObjectMachine(store, PART), false)).as("still taken").isNull();
    AtomicFile.replace(two.path("file"), text("y"));
    taken.close();
  }

  /** The check of the lock says yes, then the process is stopped, and its write comes when another one has the lock. */
  @ParameterizedTest(name = "was there: {0}, read under the lock: {1}")
  @CsvSource({"true,true", "true,false", "false,true", "false,false"})
  void aWriteThatComesLateOverwritesNobody(boolean there, boolean read) throws IOException {
    if (there) {
      AtomicFile.replace(one.path("index"), text("old"));
    }
    FileChannel stopped = lock(one, false);
    if (read) {
      assertThat(Files.exists(one.path("index"))).isEqualTo(there);
    }
    assertThat(lock(two, false)).isNull();
    boolean[] done = new boolean[1];
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void before(String call, String key) throws IOException {
        if (call.equals("put") && key.endsWith("index") && !done[0]) {
          done[0] = true;
          two.passes(21);
          try (FileChannel _ = lock(two, false)) {
            AtomicFile.replace(two.path("index"), text("of the next leader"));
          }
        }
      }
    });
    assertThatThrownBy(() -> AtomicFile.replace(one.path("index"), text("of the earlier one")))
        .hasMessageContaining("changed by somebody else");
    assertThat(done[0]).isTrue();
    assertThat(store.texts()).containsEntry(ObjectMachine.KEYS + "index", "of the next leader");
    stopped.close();
  }

  /** Steps of three processes in a random order, one of which fails at random calls; a lock is never held twice. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void nobodyHasALockWhileAnotherHasItExclusively(long seed) throws IOException {
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    ObjectMachine[] machines = {one, two, new ObjectMachine(store, PART)};
    FileChannel[] held = new FileChannel[machines.length];
    boolean[] exclusive = new boolean[machines.length];
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void after(String call, String key) throws IOException {
        if (random.nextInt(12) == 0) {
          throw new IOException("500");
        }
      }
    });
    int taken = 0;
    for (int step = 0; step < 600; step++) {
      int who = random.nextInt(machines.length);
      for (ObjectMachine machine : machines) {
        machine.passes(random.nextInt(3));
      }
      try {
        if (random.nextInt(3) > 0) {
          machines[who].system().renewLocks();
        } else if (held[who] != null) {
          FileChannel closing = held[who];
          held[who] = null;
          closing.close();
        } else {
          exclusive[who] = random.nextBoolean();
          held[who] = lock(machines[who], !exclusive[who]);
          taken += held[who] == null ? 0 : 1;
        }
      } catch (IOException | ScrException _) {
        // a call has failed
      }
      int alive = 0;
      boolean alone = false;
      for (int i = 0; i < machines.length; i++) {
        boolean valid = held[i] != null && isValid(machines[i]);
        alive += valid ? 1 : 0;
        alone |= valid && exclusive[i];
      }
      assertThat(alone && alive > 1).as("step %d", step).isFalse();
    }
    assertThat(taken).isGreaterThan(5);
  }

  private static boolean isValid(ObjectMachine machine) {
    try {
      machine.system().files().leases().requireValid();
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
