package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.cli.CliRun;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.Mounts;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.NodeCache;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.scavenge.ScavengeCopy;
import io.vertxscr.scavenge.TestCaches;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: if {@code scr index --add} runs out of space anywhere, the index is the old one or the new one. The command
 * resumes when there is space again. Method: a file system with room for n more files, or n more pages, for every n
 * until there is enough. Only where the user of the tests may mount.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class IndexOnFullDiskTest {
  private static final int PAGE_BYTES = 4096;
  private static final int MOST_STEPS = 100;

  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;

  @ParameterizedTest
  @ValueSource(strings = {"nr_inodes", "size"})
  void whereverAddRunsOutOfSpaceReadersFindTheOldIndexOrTheNewOne(String limit) throws Exception {
    caches = new TestCaches(temp, Scheme.XOR, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
    caches.dataset(5, "b.5");
    caches.dataset(6, "b.6");
    caches.lose("n2");
    int refusals = 0;
    boolean whole = false;
    for (int room = 0; !whole; room++) {
      assertThat(room).isLessThan(MOST_STEPS);
      String prefix = caches.prefix.toString();
      assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=16m,nr_inodes=1000", "tmpfs", prefix), "may mount");
      try {
        copy(5);
        assertThat(index("--add", "5").exit()).isZero();
        copy(6);
        assertThat(Mounts.mount("-o", "remount," + limit + "=" + (used(limit) + room * unit(limit)), prefix)).isTrue();
        CliRun ran = index("--add", "6");
        assertThat(Mounts.mount("-o", "remount,size=16m,nr_inodes=1000", prefix)).isTrue();
        whole = ran.exit() == 0;
        refusals += whole ? 0 : 1;
        assertThat(whole || ran.err().contains("make room there")).as("room " + room + ": " + ran).isTrue();
        isOldOrNew("room " + room + ": " + ran, whole);

        assertThat(index("--add", "6")).as("room " + room).returns(0, CliRun::exit);
        isOldOrNew("room " + room + ", again", true);
      } finally {
        Mounts.unmount(caches.prefix);
      }
    }
    assertThat(refusals).as("the limit was one").isGreaterThan(5);
  }

  private void isOldOrNew(String when, boolean whole) {
    PrefixIndex.Reading reading = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10))).read();
    assertThat(reading.remarks()).as(when).isEmpty();
    List<String> names = reading.index().entries().stream().map(Index.Entry::name).toList();
    assertThat(names).as(when).isIn(whole ? List.of("b.5", "b.6") : List.of("b.5"), List.of("b.5", "b.6"));
    assertThat(reading.index().entries()).as(when).allMatch(Index.Entry::complete);
    assertThat(index("--verify")).as(when).returns(0, CliRun::exit);
  }

  private static int unit(String limit) {
    return limit.equals("size") ? PAGE_BYTES : 1;
  }

  private long used(String limit) throws IOException {
    if (limit.equals("size")) {
      FileStore store = Files.getFileStore(caches.prefix);
      return store.getTotalSpace() - store.getUnallocatedSpace();
    }
    try (Stream<Path> all = Files.walk(caches.prefix)) {
      return all.count();
    }
  }

  private void copy(int id) {
    for (NodeCache node : caches.nodes()) {
      assertThat(new ScavengeCopy(node, id, paths).run().problems()).isEmpty();
    }
  }

  private CliRun index(Object... arguments) {
    List<Object> line = new ArrayList<>(List.of("index", "--prefix", caches.prefix));
    line.addAll(List.of(arguments));
    return CliRun.of(Map.of(), line.toArray());
  }
}
