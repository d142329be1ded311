package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the simulation calls no dataset lost of which another one takes the places, and each that is. Method: a
 * checkpoint of two ranks in the middle of that, with what keeps it and without.
 */
class ReplacedFilesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final SimulatedDisk shared = new SimulatedDisk(() -> 0);
  private final SimulatedFileSystem files = view("n1");
  private final Path prefix = files.getPath("/pfs/prefix");
  private final PrefixPaths paths = new PrefixPaths(prefix);
  private final Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
  private final Ledger ledger = new Ledger(2, OptionalInt.empty());
  private final List<Invariant> violated = new ArrayList<>();

  private SimulatedFileSystem view(String name) {
    return new SimulatedFileSystem(
        name, new SimulatedDisk(() -> 0), shared, SimulatedFileSystem.Interference.NONE);
  }

  @BeforeEach
  void begin() throws IOException {
    Files.createDirectories(prefix);
  }

  private PrefixInspection inspection(boolean rolling) {
    Scenario scenario = new Scenario(1, Profile.NONE, 1, 0, 2, 1, rolling, List.of(1), Scenario.Variant.PLAIN,
        Map.of(), 0, List.of());
    return new PrefixInspection(
        scenario, ledger, prefix.toString(), clock, new PrefixView.OfDisk(() -> view("inspector")),
        (invariant, _) -> violated.add(invariant));
  }

  private Attempt attempt(int run, int step, int id) {
    return attempt(run, step, id, DatasetFlags.CHECKPOINT);
  }

  private Attempt attempt(int run, int step, int id, DatasetFlags flags) {
    Attempt attempt = ledger.attempt(run, step, flags);
    attempt.id = id;
    attempt.acknowledged = true;
    attempt.called.addAll(List.of(0, 1));
    return attempt;
  }

  private void list(Attempt attempt) {
    new PrefixIndex(paths, new LockUser("test", new LocalFiles(files), clock)).update(before ->
        before.enlist(List.of(new DatasetDescriptor(attempt.id, attempt.name(), attempt.flags, attempt.id, attempt.id,
            new Job("user", "job", "1", "cluster"), DatasetDescriptor.Totals.NONE)),
            LocalDateTime.ofInstant(NOW, ZoneOffset.UTC)));
  }

  private static void write(Path file, Attempt of, int rank) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, Ledger.bytes(of, rank, 0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneWhoseFilesAreKeptBesideThoseOfAnotherOfItsNameIsWhole(boolean kept) throws IOException {
    Attempt old = attempt(0, 3, 3);
    Attempt young = attempt(1, 3, 4);
    list(old);
    write(prefix.resolve("step-3/rank-0-0"), young, 0);
    write(prefix.resolve("step-3/rank-1-0"), old, 1);
    if (kept) {
      write(paths.kept("step-3/rank-0-0", young.id), old, 0);
    }
    inspection(false).check();
    assertThat(violated).isEqualTo(kept ? List.of() : List.of(Invariant.LISTED_IS_WHOLE));
    assertThat(old.flushed).isEqualTo(kept);
    assertThat(young.flushed).isFalse();
  }

  /** It was never published: a later one was there first. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneWhosePlacesALaterOneHasMayLeaveTheCache(boolean later) throws IOException {
    Attempt old = attempt(0, 2, 2);
    Attempt young = attempt(0, 3, 3);
    if (later) {
      list(young);
      write(prefix.resolve("rolling/rank-0-0"), young, 0);
      write(prefix.resolve("rolling/rank-1-0"), young, 1);
    }
    assertThat(whenItLeavesTheCache(old, true)).isEqualTo(later ? List.of() : List.of(Invariant.EVICTED_IS_REPLACED));
  }

  /** Its flush was late, and a later run has written it again and was faster. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void outputThatALaterRunHasPublishedMayLeaveTheCache(boolean published) throws IOException {
    Attempt old = attempt(0, 3, 3, DatasetFlags.OUTPUT);
    Attempt young = attempt(1, 3, 4, DatasetFlags.OUTPUT);
    if (published) {
      list(young);
      write(prefix.resolve("step-3/rank-0-0"), young, 0);
      write(prefix.resolve("step-3/rank-1-0"), young, 1);
    }
    assertThat(whenItLeavesTheCache(old, false))
        .isEqualTo(published ? List.of() : List.of(Invariant.EVICTED_IS_REPLACED));
  }

  private List<Invariant> whenItLeavesTheCache(Attempt old, boolean rolling) {
    Program program = new Program("/pfs/prefix", 2, ledger, inspection(rolling));
    CacheWatch watch = new CacheWatch(
        () -> List.of(program), _ -> null, _ -> false, (invariant, _) -> violated.add(invariant));
    Path filemap = files.getPath("/local/cntl/scr.dataset." + old.id + ".scrfilemap");
    watch.sees("n1", Operation.MOVE, filemap);
    watch.sees("n1", Operation.DELETE, filemap);
    return violated;
  }
}
