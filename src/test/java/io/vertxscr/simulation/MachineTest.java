package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: locks and names of the prefix file system are as those of a real one. Method: two machines, one file. */
@Execution(ExecutionMode.CONCURRENT)
class MachineTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Machine one = machine("n1");
  private final Machine other = machine("n2");

  private Machine machine(String name) {
    Machine machine = new Machine(name, time, new SimulatedDisk(time::nowNs), shared, Machine.Watcher.NONE);
    machine.daemon(loop);
    return machine;
  }

  private static Path lock(Machine of) throws Exception {
    return Files.createDirectories(of.local().path("/pfs/prefix")).resolve("lock");
  }

  private boolean isShared(Machine by) throws Exception {
    return by.local().share(lock(by));
  }

  private boolean isAlone(Machine by) throws Exception {
    try (FileChannel channel = by.files.provider().newFileChannel(
        lock(by), Set.of(StandardOpenOption.WRITE))) {
      return channel.tryLock() != null;
    }
  }

  private void ends(Machine machine) {
    machine.daemon(null);
    shared.release(machine.name);
  }

  @Test
  void aLockIsSharedByManyAndHeldByOne() throws Exception {
    assertThat(isShared(one)).isTrue();
    assertThat(isAlone(other)).isFalse();
    assertThat(isShared(other)).isTrue();
    one.local().unshare(lock(one));
    assertThat(isAlone(one)).isFalse();
    other.local().unshare(lock(other));
    assertThat(isAlone(one)).isTrue();
  }

  @Test
  void aDaemonHasNoLockOfAnEarlierOne() throws Exception {
    assertThat(isShared(one)).isTrue();
    ends(one);
    one.daemon(loop);
    assertThat(isAlone(other)).isTrue();
    assertThat(isShared(one)).isTrue();
    assertThat(isAlone(other)).isFalse();
  }

  @Test
  void aNodeThatLagsBelievesWhatItHasSeenForSomeSeconds() throws Exception {
    Path here = lock(one).resolveSibling("name");
    Path there = lock(other).resolveSibling("name");
    one.lagPrefix(Duration.ofSeconds(20));
    assertThat(Files.exists(here)).isFalse();
    Files.write(there, new byte[1]);
    assertThat(Files.exists(here)).as("at once").isFalse();
    time.runUntil(() -> false, Duration.ofSeconds(3));
    assertThat(Files.readAllBytes(here)).as("some seconds later").hasSize(1);
    Files.write(there, new byte[2]);
    assertThat(Files.readAllBytes(here)).as("bytes are those of now").hasSize(2);
    Files.delete(there);
    assertThat(Files.exists(here)).as("a stale file").isFalse();
  }

  @Test
  void aNodeThatLagsBelievesAttributesUntilItOpensTheFile() throws Exception {
    Path here = lock(one).resolveSibling("name");
    Path there = lock(other).resolveSibling("name");
    Files.write(there, new byte[1]);
    one.lagPrefix(Duration.ofSeconds(20));
    assertThat(Files.size(here)).isEqualTo(1);
    Files.write(there, new byte[2]);
    assertThat(Files.size(here)).as("at once").isEqualTo(1);
    assertThat(Files.readAllBytes(here)).as("bytes are those of now").hasSize(2);
    assertThat(Files.size(here)).as("once it was open").isEqualTo(2);
    Files.write(there, new byte[3]);
    time.runUntil(() -> false, Duration.ofSeconds(3));
    assertThat(Files.size(here)).as("some seconds later").isEqualTo(3);
  }

  @Test
  void aNodeThatChangesADirectoryKnowsItAnew() throws Exception {
    Path here = lock(one).resolveSibling("name");
    one.lagPrefix(Duration.ofSeconds(20));
    assertThat(Files.exists(here)).isFalse();
    Files.write(lock(other).resolveSibling("name"), new byte[1]);
    Files.write(here.resolveSibling("another"), new byte[1]);
    assertThat(Files.exists(here)).isTrue();
  }

  @Test
  void whoHasLostALockIsToldWhenItUsesTheFileAndOthersHaveItMeanwhile() throws Exception {
    boolean[] others = new boolean[1];
    time.loop().after(1_000, () -> others[0] = isAloneNow(other));
    one.loseLockAt(2, Duration.ofSeconds(2));
    Future<Integer> wrote = loop.blocking("write under a lock", this::writeUnderLock);
    time.runUntil(wrote::isComplete, Duration.ofSeconds(10));
    assertThat(wrote.cause()).hasMessage("Input/output error");
    assertThat(others[0]).isTrue();
  }

  private int writeUnderLock() throws Exception {
    try (FileChannel channel = one.files.provider().newFileChannel(
        lock(one), Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE))) {
      assertThat(channel.tryLock()).isNotNull();
      channel.write(ByteBuffer.allocate(1));
      return channel.write(ByteBuffer.allocate(1));
    }
  }

  /** Otherwise another thread of it would wait at the monitor, in earnest. */
  @Test
  void whoLosesALockWithinAMonitorStandsWithItsDaemon() {
    List<String> stood = new ArrayList<>();
    one.isOf(new Machine.Standstill() {
      @Override
      public boolean runs(String node) {
        return true;
      }

      @Override
      public void begins(String node, boolean isMissed) {
        stood.add(node + " stands");
      }

      @Override
      public void ends(String node, boolean isMissed) {
        stood.add(node + " goes on");
      }
    });
    one.loseLockAt(2, Duration.ofSeconds(2));
    Future<Integer> wrote = loop.blocking("write under a lock", () -> {
      synchronized (stood) {
        return writeUnderLock();
      }
    });
    time.runUntil(wrote::isComplete, Duration.ofSeconds(10));
    assertThat(wrote.cause()).hasMessage("Input/output error");
    assertThat(stood).containsExactly("n1 stands", "n1 goes on");
  }

  private boolean isAloneNow(Machine by) {
    try {
      return isAlone(by);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
