package io.vertxscr.prefix.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Compression;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.ContainerCopy;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.copy.container.PackedRanks;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.PieceBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a copy that is paused and resumed on another thread writes the same bytes. That holds for copies of any kind,
 * between any two pieces; one that is abandoned at any pause leaves no file open. Method: a meter that admits so many
 * pieces at a time; between, the thread's buffers get other bytes.
 */
class ResumableCopyTest {
  private static final int[] SIZES =
      {3 * Limits.PIECE_BYTES + 5, 100, 0, Limits.PIECE_BYTES, 2 * Limits.PIECE_BYTES - 1};

  @TempDir
  Path temp;
  private RankFiles rank;
  private int attempts;

  /** The ways to copy. */
  private enum Way { PLAIN, LARGE, COMPRESSED, CONTAINER }

  /** Admits so many pieces in a row. */
  private static final class Portions implements Meter {
    private final int pieces;
    private int left;
    private boolean admitted;
    private long passedBytes;

    Portions(int pieces) {
      this.pieces = pieces;
      this.left = pieces;
    }

    @Override
    public boolean admits(long bytes) {
      assertThat(bytes).isPositive();
      admitted = admitted || left-- > 0;
      return admitted;
    }

    @Override
    public void passing(int bytes) {
      admitted = false;
      passedBytes += bytes;
    }

    void more() {
      left = pieces;
    }
  }

  @BeforeEach
  void makeFiles() throws IOException {
    List<FileMeta> files = new ArrayList<>();
    Path cache = Files.createDirectories(temp.resolve("cache"));
    for (int i = 0; i < SIZES.length; i++) {
      byte[] bytes = new byte[SIZES[i]];
      new Random(i).nextBytes(bytes);
      Path file = Files.write(cache.resolve("f" + i), bytes);
      files.add(new FileMeta("f" + i, "d/f" + i, bytes.length, OptionalInt.of(Samples.crc(bytes)),
          Optional.of(FileStamps.read(file))));
    }
    rank = new RankFiles(0, files);
  }

  private Path prefix() {
    return temp.resolve("prefix" + attempts);
  }

  private FlushTarget target(Way way) throws IOException {
    attempts++;
    var paths = new PrefixPaths(Files.createDirectories(prefix()));
    FlushCopy copy = new FlushCopy(paths, Samples.owner(3, "n1"), temp.resolve("cache"), new OwnDrafts());
    return switch (way) {
      case PLAIN -> copy;
      case LARGE -> copy.resuming(2 * Limits.PIECE_BYTES);
      case COMPRESSED -> copy.compressing(Optional.of(new Compression(1)));
      case CONTAINER -> {
        new ContainerDrafts(paths, 3, "l").prepare();
        yield new ContainerCopy(3, ContainerDrafts.directory(paths, 3, "l"), temp.resolve("cache"),
            new PackedRanks(new ContainerLayout(Limits.PIECE_BYTES + 77L, 1), 0, List.of(rank)));
      }
    };
  }

  private static boolean resumed(ResumableCopy copy, boolean here) {
    ByteBuffer buffer = PieceBuffers.first();
    while (buffer.hasRemaining()) {
      buffer.put((byte) 0x55);
    }
    return here ? copy.resume() : CompletableFuture.supplyAsync(copy::resume,
        work -> Thread.ofPlatform().start(work)).join();
  }

  @ParameterizedTest
  @EnumSource
  void aCopyThatPausesBetweenAnyTwoPiecesWritesTheSameBytes(Way way) throws IOException {
    for (Extent extent : target(way).extents(List.of(rank))) {
      extent.copy(Meter.NONE);
    }
    TreeMap<String, Integer> whole = sums();
    assertThat(whole).isNotEmpty();
    for (int pieces = 1; pieces < 4; pieces++) {
      Portions meter = new Portions(pieces);
      int pauses = 0;
      for (Extent extent : target(way).extents(List.of(rank))) {
        try (ResumableCopy copy = extent.begin(meter)) {
          while (!resumed(copy, pauses % 2 == 0)) {
            pauses++;
            meter.more();
          }
        }
      }
      assertThat(sums()).as("%d pieces at a time", pieces).isEqualTo(whole);
      assertThat(pauses).as("%d pieces at a time", pieces).isGreaterThanOrEqualTo(4 / pieces);
      assertThat(openFiles()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCopyThatIsAbandonedAtAnyPauseLeavesNoFileOpen(Way way) throws IOException {
    for (int pause = 0; pause < 5; pause++) {
      for (Extent extent : target(way).extents(List.of(rank))) {
        Portions meter = new Portions(1);
        ResumableCopy copy = extent.begin(meter);
        boolean done = false;
        for (int i = 0; i <= pause && !done; i++) {
          done = resumed(copy, true);
          meter.more();
        }
        copy.close();
        copy.close();
        assertThat(openFiles()).as("%s, pause %d", extent.what(), pause).isEmpty();
        if (!done && way == Way.PLAIN) {
          assertThat(sums().keySet()).as("drafts").noneMatch(name -> name.contains(
              extent.what().substring(extent.what().lastIndexOf('/') + 1)));
        }
      }
    }
  }

  /** Every file's checksum: content of this size is not to be printed. */
  private TreeMap<String, Integer> sums() throws IOException {
    TreeMap<String, Integer> sums = new TreeMap<>();
    try (Stream<Path> all = Files.walk(prefix())) {
      all.filter(Files::isRegularFile).filter(file -> !file.getFileName().toString().contains("marks")).forEach(file ->
          sums.put(prefix().relativize(file).toString(), Samples.crc(Samples.read(file))));
    }
    return sums;
  }

  private List<String> openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.map(ResumableCopyTest::target).filter(file -> file.startsWith(temp.toString())).toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      return "";                                          // of the listing itself, closed by now
    }
  }
}
