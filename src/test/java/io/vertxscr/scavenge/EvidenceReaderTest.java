package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.explain.Diagnosis.Verdict;
import io.vertxscr.explain.Diagnosis;
import io.vertxscr.explain.Evidence;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: evidence of a dataset follows it to the prefix directory, through damage and repair. It comes from the caches.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class EvidenceReaderTest {
  @TempDir
  private Path temp;
  private TestCaches caches;
  private PrefixPaths paths;
  private PrefixIndex index;
  private FlushFileStore flushFile;
  private final List<String> remarks = new ArrayList<>();

  @BeforeEach
  void makeCaches() {
    caches = new TestCaches(temp, Scheme.XOR, 4, 1, 1000);
    paths = new PrefixPaths(caches.prefix);
    LockUser user = PatientLocks.user("test", Duration.ofSeconds(5));
    index = new PrefixIndex(paths, user);
    flushFile = new FlushFileStore(paths, user);
  }

  private Evidence read(String wanted, List<NodeCache> nodes) {
    return new EvidenceReader(paths, index, flushFile,
        nodes.stream().map(node -> node.inventory(remarks)).toList(), List.of()).read(wanted);
  }

  private Verdict verdict(List<NodeCache> nodes) {
    return Diagnosis.of(read("b.6", nodes)).verdict();
  }

  @Test
  void aDatasetIsFollowedFromTheCachesToThePrefixDirectoryAndThroughDamageThere() throws IOException {
    caches.dataset(6, "b.6");
    assertThat(verdict(caches.nodes())).isEqualTo(Verdict.IN_CACHES);
    assertThat(read("6", caches.nodes()).worldRanks()).isEqualTo(4);
    caches.copy(6);
    assertThat(verdict(List.of())).isEqualTo(Verdict.SCAVENGED);
    new DatasetPublisher(paths, index, flushFile, Clock.systemUTC(), _ -> { }).add(6, false);
    assertThat(verdict(List.of())).isEqualTo(Verdict.PUBLISHED);
    assertThat(read("6", List.of()).worldRanks()).as("of the map").isEqualTo(4);
    for (int rank = 0; rank < caches.ranks(); rank++) {
      Files.delete(paths.dataset(6).resolve(rank + ".scrfilemap"));
    }
    Files.delete(caches.prefix.resolve("b.6/b.1"));
    assertThat(verdict(List.of())).isEqualTo(Verdict.LOST);
    index.update(now -> now.markReplaced(Set.of(6), 7));
    assertThat(verdict(List.of())).isEqualTo(Verdict.REPLACED);
  }

  @Test
  void damageInACacheIsARemarkAndAnUnknownDatasetIsRefused() throws IOException {
    caches.dataset(6, "b.6");
    try (Stream<Path> files = Files.walk(caches.directory("n1", 6))) {
      Files.write(files.filter(file -> file.getFileName().toString().startsWith("b.")).findFirst().orElseThrow(),
          new byte[3]);
    }
    assertThat(Diagnosis.of(read("b.6", caches.nodes())).lost()).isEmpty();
    assertThat(remarks).singleElement().asString().contains("rank 1 on n1");
    assertThatThrownBy(() -> read("b.7", caches.nodes())).isInstanceOf(ScrException.class)
        .extracting(failure -> ((ScrException) failure).fault()).isEqualTo(Fault.NO_SUCH_DATASET);
  }
}
