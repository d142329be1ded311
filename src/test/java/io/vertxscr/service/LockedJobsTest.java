package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.recorded.FaultyDisk.Trouble;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: who waits for the lock of a prefix directory waits on the loop, and not forever. In virtual time. */
class LockedJobsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final VirtualTime time = new VirtualTime(new Random(Long.getLong("seed", 1)));
  private final FaultyDisk disk = new FaultyDisk();
  private final PrefixPaths paths = new PrefixPaths(disk.directory("/prefix"));
  private final LocalFiles files = new LocalFiles(disk.system());
  private final Loop loop = time.loop(files);
  private final LockedJobs jobs = new LockedJobs(loop, "n1").with(PATIENCE);

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private Future<Integer> write(int nodes) {
    return jobs.run("write the number of nodes", () -> {
      FlushFileStore store = new FlushFileStore(paths, jobs.user());
      store.writeNodes(nodes);
      return store.nodes().orElseThrow();
    });
  }

  private long seconds() {
    return Duration.ofNanos(time.nowNs()).toSeconds();
  }

  @Test
  void theJobIsDoneWhenTheHolderLetsGoAndNoThreadIsHeldMeanwhile() {
    assertThat(time.await(write(1)).result()).isEqualTo(1);
    files.hold(LocalFiles.real(paths.indexLock()));
    loop.after(3000, () -> files.release(paths.indexLock()));

    Future<Integer> waiting = write(2);
    Future<String> other = loop.blocking("something else", () -> "done");
    assertThat(time.await(other).result()).isEqualTo("done");
    assertThat(waiting.isComplete()).isFalse();
    assertThat(time.await(waiting).result()).isEqualTo(2);
    assertThat(seconds()).isEqualTo(3);
  }

  @Test
  void whoWaitsInVainIsToldByWhomAndForHowLong() {
    time.await(write(1));
    files.hold(LocalFiles.real(paths.indexLock()));
    Throwable failure = time.await(write(2)).cause();
    assertThat(failure).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).isEqualTo(Fault.BUSY));
    assertThat(failure).hasMessage(
        "/prefix/.scr/index.lock is held by another thread of this process; gave up after 10000 ms");
    assertThat(seconds()).isEqualTo(10);
  }

  @Test
  void whatFailsForAnotherReasonIsNotTriedAgain() {
    disk.trouble(Trouble.fullFrom(1));
    assertThat(time.await(write(1)).cause()).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).isEqualTo(Fault.NO_SPACE));
    assertThat(seconds()).isZero();
  }

  @Test
  void aDiskThatHangsHoldsUpItsJobAndNotTheLoop() {
    disk.trouble((_, what) -> {
      if (what.startsWith("sync ") && what.endsWith("nodes.scr.draft")) {
        time.pass(Duration.ofMinutes(5));
      }
    });
    Future<Integer> slow = write(7);
    Future<String> other = loop.blocking("something else", () -> "done");
    assertThat(time.await(other).result()).isEqualTo("done");
    assertThat(seconds()).isZero();
    assertThat(time.await(slow).result()).isEqualTo(7);
    assertThat(seconds()).isEqualTo(300);
  }
}
