package io.vertxscr.scavenge;

import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: what cannot be seen for a moment is not taken for missing. Method: one look at a file fails. */
class ScavengedFilesTest {
  private final FaultyDisk disk = new FaultyDisk();
  private final Samples samples = new Samples(disk.directory("/job"));

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private void failOnce(Path file) {
    disk.looks(FaultyDisk.Look.failsOnce(file::equals));
  }

  /** Files of a dataset as a scavenge has copied them. */
  private ScavengedFiles scavenged(int id, RankFiles rank) {
    rank.files().forEach(file -> Samples.write(
        samples.paths.dataset(id).resolve(file.name()), Samples.bytes(id, rank.rank(), file.path())));
    DatasetDescriptor whole = Samples.withTotals(descriptor(id, "b." + id), List.of(rank));
    return new ScavengedFiles(samples.paths, whole, List.of(rank), _ -> Map.of());
  }

  @Test
  void aFileThatIsToBeMovedIsNotPassedOver() {
    RankFiles rank = samples.cached(5, 0, "out/x");
    ScavengedFiles files = scavenged(5, rank);
    Path staged = samples.paths.dataset(5).resolve(rank.files().getFirst().name());
    failOnce(staged);
    refused(Fault.IO, () -> files.place(samples.index), staged.toString());
    files.place(samples.index);
    assertThat(Files.exists(staged)).isFalse();
    assertThat(samples.paths.file("out/x")).hasBinaryContent(Samples.bytes(5, 0, "out/x"));
  }

  @Test
  void aNodeWhoseDirectoryCannotBeSeenIsNotLeftOut() throws IOException {
    Path job = disk.directory("/control/scr.1");
    Path hidden = Files.createDirectories(job.resolve("n2"));
    Files.createDirectories(job.resolve("n1"));
    failOnce(hidden);
    refused(Fault.IO, () -> NodeCache.ofJob(job), hidden.toString());
    assertThat(NodeCache.ofJob(job)).extracting(NodeCache::node).containsExactly("n1", "n2");
  }

  @Test
  void aFileOfALaterDatasetIsNotTakenForNone() {
    samples.flush(descriptor(6, "b.6"), List.of(samples.cached(6, 0, "out/x")));
    ScavengedFiles files = scavenged(5, samples.cached(5, 0, "out/x"));
    failOnce(samples.paths.file("out/x"));
    refused(Fault.IO, () -> files.check(samples.publication), samples.paths.file("out/x").toString());
    refused(Fault.WRONG_STATE, () -> files.check(samples.publication), "belongs to the later dataset 6");
  }

  @Test
  void placesOfALaterDatasetThatWasListedBehindTheFirstLookAreNotTaken() {
    ScavengedFiles files = scavenged(5, samples.cached(5, 0, "out/x"));
    files.check(samples.publication);
    samples.flush(descriptor(6, "b.6"), List.of(samples.cached(6, 0, "out/x")));
    refused(Fault.WRONG_STATE, () -> files.place(samples.index), "belongs to the later dataset 6");
    assertThat(samples.paths.file("out/x")).hasBinaryContent(Samples.bytes(6, 0, "out/x"));
  }

  @Test
  void aFileThatIsGoneSinceTheFirstLookIsNotTakenForPlaced() throws IOException {
    RankFiles rank = samples.cached(5, 0, "out/x");
    ScavengedFiles files = scavenged(5, rank);
    files.check(samples.publication);
    Path staged = samples.paths.dataset(5).resolve(rank.files().getFirst().name());
    Files.delete(staged);
    refused(Fault.NO_SUCH_FILE, () -> files.place(samples.index), staged.toString(), "out/x");
  }
}
