package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.StoreSync;
import io.vertxscr.storage.FileIdentity;
import io.vertxscr.storage.UnreadFiles;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: after a loss of power of all nodes a restart has a checkpoint that was on the disks. It is no older than what
 * the caches were kept for, and the newest where {@code complete} waits for the disk; every byte is right, from caches
 * and from the prefix directory. Method: two daemons on an ext4 of their own, whose writes end at an arbitrary moment,
 * the journal's too; then it is mounted again. SINGLE, because the redundancy file of a set of two is synced and has
 * all bytes of both. A long test: -Dscr.long=true.
 */
class PowerCutIT {
  private static final Pattern FILEMAP = Pattern.compile("scr\\.dataset\\.([0-9]+)\\.scrfilemap");
  private static final int FILES = 2;
  private static final int RANKS = 4;
  private static final long DISK_BYTES = 1L << 30;
  private static final int MOST_STEPS = 100_000;

  @ParameterizedTest(name = "{0}, files synced before {1}, flush every {2}, cut after step {3}")
  @CsvSource({"SINGLE, EVICT, 0, 2", "SINGLE, EVICT, 0, 3", "SINGLE, EVICT, 0, 20", "XOR, EVICT, 0, 7",
      "SINGLE, EVICT, 1, 2", "SINGLE, EVICT, 1, 5", "XOR, EVICT, 3, 11", "SINGLE, COMPLETE, 0, 2",
      "SINGLE, COMPLETE, 0, 9", "XOR, COMPLETE, 0, 5"})
  void aRestartHasTheNewestThatIsOnTheDisk(String scheme, StoreSync sync, int flushEvery, int steps) throws Exception {
    Root.assumeLongTestsWith("mkfs.ext4", "python3", "mount");
    Path directory = Files.createTempDirectory("scr");
    Path cache = directory.resolve("d/k");
    try (LoopDisk disk = new LoopDisk(directory.resolve("image"), directory.resolve("d"), DISK_BYTES);
        DaemonCluster cluster = new DaemonCluster(Map.of("SCR_FLUSH", "" + flushEvery, "SCR_COPY_TYPE", scheme,
            "SCR_CNTL_BASE", directory.resolve("d/c").toString(),
            "SCR_CACHE_BASE", cache.toString()))) {
      cluster.fill(2);
      Path prefix = Files.createDirectories(directory.resolve("d/prefix"));
      Files.writeString(prefix.resolve(".scrconf"), "STORE=" + cache + " COUNT=2 SYNC=" + sync + "\n");
      AtomicIntegerArray told = new AtomicIntegerArray(RANKS);
      List<CompletableFuture<Integer>> ranks = SocketRun.twoOnEach(prefix, cluster.alive()).start(scr -> {
        for (int step = 1; step < MOST_STEPS; step++) {
          RankProgram.checkpoint(scr, prefix, step, FILES);
          told.set(scr.rank(), step);
        }
        return MOST_STEPS;
      });
      Eventually.holds("step " + steps, () -> newest(told) >= steps);
      disk.losePower();
      cluster.killAll();
      CompletableFuture.allOf(ranks.toArray(CompletableFuture[]::new)).handle((_, _) -> 0).join();
      int acknowledged = newest(told);
      disk.powerIsBack();
      int least = sync == StoreSync.COMPLETE ? acknowledged : oldestKept(directory.resolve("d/c"));
      cluster.startSoon("n1");
      cluster.startSoon("n2");
      cluster.awaitReady();
      List<Integer> offered = EmbeddedRun.all(SocketRun.twoOnEach(prefix, cluster.alive()).start(scr -> {
        int step = RankProgram.restart(scr, FILES);
        scr.finish();
        return step;
      }));
      System.out.printf("power cut: %d acknowledged, %d at least, %s offered%n", acknowledged, least, offered);
      assertThat(offered).containsOnly(offered.getFirst());
      assertThat(offered.getFirst()).isGreaterThanOrEqualTo(least);
      cluster.killAll();
    } finally {
      Files.deleteIfExists(directory.resolve("image"));
      Files.deleteIfExists(directory.resolve("d"));
      Files.deleteIfExists(directory);
    }
  }

  /** What ext4 writes of a file and what it does not is a matter of moments; that nothing is believed is not. */
  @Test
  void nothingThatWasWrittenBeforeIsTrustedWhenTheDiskIsMountedAgain() throws Exception {
    Root.assumeLongTestsWith("mkfs.ext4", "python3", "mount");
    Path directory = Files.createTempDirectory("scr");
    try (LoopDisk disk = new LoopDisk(directory.resolve("image"), directory.resolve("d"), DISK_BYTES)) {
      Path file = Files.writeString(directory.resolve("d/a"), "bytes of a");
      FileIdentity found = FileIdentity.of(file).orElseThrow();
      FileMeta noted = UnreadFiles.note(file.getParent(), new RankFiles(0, List.of(new FileMeta("a", "out",
          found.seal().bytes(), OptionalInt.empty(), Optional.of(found.stamp()))))).orElseThrow().files().getFirst();
      assertThat(UnreadFiles.problem(file, noted)).isEmpty();
      Root.run("sync", "-f", file.toString());
      disk.losePower();
      disk.powerIsBack();
      assertThat(FileIdentity.of(file)).as("the same file").contains(found);
      assertThat(UnreadFiles.problem(file, noted)).get().asString().contains("its file system was unmounted");
    } finally {
      Files.deleteIfExists(directory.resolve("image"));
      Files.deleteIfExists(directory.resolve("d"));
      Files.deleteIfExists(directory);
    }
  }

  /** Both nodes let those go that are older: a newer one was on both disks. It is one a step. */
  private static int oldestKept(Path control) throws IOException {
    Map<Path, Integer> ofNode = new HashMap<>();
    try (Stream<Path> files = Files.walk(control)) {
      for (Path file : files.toList()) {
        Matcher name = FILEMAP.matcher(file.getFileName().toString());
        if (name.matches()) {
          ofNode.merge(file.getParent(), Integer.parseInt(name.group(1)), Math::min);
        }
      }
    }
    return ofNode.size() < 2 ? 1 : Collections.max(ofNode.values());
  }

  /** The newest step that all ranks were told of. */
  private static int newest(AtomicIntegerArray told) {
    return IntStream.range(0, RANKS).map(told::get).min().orElseThrow();
  }
}
