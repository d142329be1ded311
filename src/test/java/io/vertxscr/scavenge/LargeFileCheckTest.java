package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.publish.Publication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: a check in pieces finds the same as a check of whole files, in files and in containers. Method: pieces of every
 * kind of length, a flipped bit in every tenth byte of all that is published.
 */
@Execution(ExecutionMode.CONCURRENT)
class LargeFileCheckTest {
  private static final int ID = 6;
  private static final int FILE_BYTES = 200;

  @TempDir
  private Path temp;
  private PrefixPaths paths;

  private List<FlushedFile> publish(FlushDescriptor flush) {
    var caches = new TestCaches(temp, Scheme.XOR, 2, 1, FILE_BYTES).flushed(flush);
    paths = new PrefixPaths(caches.prefix);
    caches.dataset(ID, "b.6");
    caches.nodes().forEach(node -> new ScavengeCopy(node, ID, paths).run());
    var index = new PrefixIndex(paths, PatientLocks.user("test", Duration.ofSeconds(10)));
    new DatasetAssembly(paths, new Publication(paths, index)).assemble(ID, (_, work) -> work.accept(index));
    List<FlushedFile> files = new ArrayList<>();
    new RankMapReader(paths, ID).forEach(entry -> files.addAll(entry.files()));
    return files;
  }

  @Test
  void filesOfTheirOwnAreFoundDamagedByPiecesAsByThemselves() throws IOException {
    List<FlushedFile> files = publish(FlushDescriptor.FILES);
    everyDamageIsFound(files, files.stream().map(file -> paths.file(file.path())).toList());
  }

  @Test
  void filesInContainersAreFoundDamagedByPiecesAsByThemselves() throws IOException {
    List<FlushedFile> files = publish(FlushDescriptor.packed(FlushDescriptor.MIN_CONTAINER_BYTES, 1));
    assertThat(files).noneMatch(FlushedFile::isInPlace);
    try (Stream<Path> all = Files.walk(paths.dataset(ID))) {
      everyDamageIsFound(files, all.filter(file -> file.getFileName().toString().startsWith("ctr.")).toList());
    }
  }

  private void everyDamageIsFound(List<FlushedFile> files, List<Path> places) throws IOException {
    for (long pieceBytes : new long[] {1, 7, 100, FILE_BYTES - 1}) {
      var check = new LargeFileCheck(paths, ID, pieceBytes);
      assertThat(files).as("pieces of " + pieceBytes).anyMatch(check::fits)
          .allSatisfy(file -> assertThat(check.problem(file)).isEmpty());
    }
    var check = new LargeFileCheck(paths, ID, 90);
    for (Path place : places) {
      byte[] good = Files.readAllBytes(place);
      for (int at = 0; at < good.length; at += 10) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) (1 << at % 8);
        Files.write(place, bad);
        assertThat(found(check, files)).as(place + " byte " + at)
            .isEqualTo(new TreeSet<>(DatasetVerification.verify(paths, ID).problems()));
      }
      Files.write(place, new byte[good.length / 2]);
      assertThat(found(check, files)).isNotEmpty()
          .isEqualTo(new TreeSet<>(DatasetVerification.verify(paths, ID).problems()));
      Files.write(place, good);
    }
  }

  private TreeSet<String> found(LargeFileCheck check, List<FlushedFile> files) {
    TreeSet<String> found = new TreeSet<>();
    new RankMapReader(paths, ID).forEach(entry -> entry.files().forEach(file -> {
      Optional<String> problem = check.problem(file);
      problem.ifPresent(sentence -> found.add("rank " + entry.rank() + ": " + sentence));
    }));
    assertThat(found.size()).isLessThanOrEqualTo(files.size());
    return found;
  }
}
