package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: locks of the prefix file system exclude as those of a real one do. Method: two machines, one lock file. */
@Execution(ExecutionMode.CONCURRENT)
class MachineTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final SimulatedDisk shared = new SimulatedDisk(time::nowNs);
  private final Machine one = machine("n1");
  private final Machine other = machine("n2");

  private Machine machine(String name) {
    Machine machine = new Machine(name, time, new SimulatedDisk(time::nowNs), shared, (_, _, _) -> { });
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
}
