package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.prefix.publish.Withdrawal;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.scavenge.Workers;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what {@code scr index} lists is whole, whatever others do while it looks. What they have begun stays. Method: a
 * simulated file system; before each of the command's operations in turn, another process does all that it has to do,
 * or ends amid it.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class OvertakenCommandsTest {
  /** With which one dataset that is going, or is flushed again, may be refused. */
  private static final Set<Fault> REFUSALS = EnumSet.of(
      Fault.CORRUPT, Fault.WRONG_STATE, Fault.NO_SUCH_DATASET, Fault.BUSY);

  private enum Command {
    BUILD(process -> process.publisher.build()),
    ADD(process -> process.publisher.add(5, false));

    private final Consumer<Process> what;

    Command(Consumer<Process> what) {
      this.what = what;
    }
  }

  private enum Other {
    DELETES((process, _) -> process.delete()),
    DELETES_FILES_ONLY((process, _) -> process.ends(process.paths.rankMap(5), process::delete)),
    WRITES_OVER((process, caches) -> {
      caches.copy(7);
      process.publisher.add(7, false);
    }),
    /** What a later dataset of its name has left of it when its process ended. */
    REMOVES_REPLACED((process, _) -> new Publication(process.paths, process.index).removeReplaced(List.of(
        process.index.read().index().find(7).orElseThrow().descriptor()))),
    /** A verification has found damage, and the caches still have the dataset. */
    FLUSHES_AGAIN((process, _) -> process.flushesAgain());

    private final BiConsumer<Process, TestCaches> what;

    Other(BiConsumer<Process, TestCaches> what) {
      this.what = what;
    }
  }

  /** One that uses the prefix directory. */
  private static final class Process extends PrefixProcess {
    private final List<Path> begun = new ArrayList<>();
    private Path endsAtDeletionOf = Path.of("nothing");

    Process(String name, SimulatedDisk shared) {
      super(name, shared);
    }

    /** Does something, and ends at the deletion of a file. */
    void ends(Path file, Runnable what) {
      endsAtDeletionOf = file;
      try {
        what.run();
      } catch (NodeDeath _) {
        endsAtDeletionOf = Path.of("nothing");
      }
    }

    /** As far as the copy of a file, beside which an older dataset's is kept. */
    void flushesAgain() {
      index.update(before -> before.markDamaged(5, LocalDateTime.now(PrefixProcess.CLOCK)));
      Publication publication = new Publication(paths, index);
      DatasetDescriptor descriptor = publication.summary(5).orElseThrow().descriptor();
      String place = WrittenOver.places(new RankMapReader(paths, 5).entries(List.of(0)).getFirst())
          .findFirst().orElseThrow().place();
      flushFile.update(before -> before.put(descriptor, Set.of(Location.FLUSHING)));
      assertThat(publication.prepare(descriptor)).isFalse();
      begun.add(paths.kept(place, 5));
      begun.add(paths.draft(place, new DraftOwner(descriptor.key(), "n1")));
      try {
        for (Path file : begun) {
          Files.createFile(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void delete() {
      new Withdrawal(paths, index).delete("b.5");
    }

    @Override
    public void before(Operation operation, boolean onShared, Path path) {
      if (operation == Operation.DELETE && path.equals(endsAtDeletionOf)) {
        throw new NodeDeath("n1");
      }
    }
  }

  /** @param isListed otherwise it was dropped from the index before */
  @ParameterizedTest
  @CsvSource({"BUILD, DELETES, true", "BUILD, DELETES, false", "BUILD, DELETES_FILES_ONLY, false",
      "BUILD, WRITES_OVER, false", "BUILD, REMOVES_REPLACED, true", "BUILD, FLUSHES_AGAIN, true",
      "ADD, DELETES, true", "ADD, DELETES_FILES_ONLY, false", "ADD, FLUSHES_AGAIN, true"})
  void whatACommandListsIsWhole(Command command, Other other, boolean isListed) {
    Workers.alone(() -> anywhere(at -> overtakes(command, other, isListed, at)));
  }

  private static void anywhere(IntPredicate overtakes) {
    int at = 1;
    while (overtakes.test(at)) {
      at++;
    }
    assertThat(at).isGreaterThan(20);
  }

  /** It takes the places of a later dataset, which somebody deletes that was dropped before. */
  @Test
  void whatACommandPublishesOverADatasetThatIsDeletedIsListed() {
    Workers.alone(() -> anywhere(OvertakenCommandsTest::isListedBesideADeletion));
  }

  /** @return false: the command has no such operation */
  private static boolean isListedBesideADeletion(int at) {
    SimulatedDisk shared = new SimulatedDisk(new AtomicLong()::incrementAndGet);
    Process daemon = new Process("n1", shared);
    TestCaches caches = new TestCaches(daemon.root, Scheme.SINGLE, 1, 1, 20);
    caches.dataset(5, "b.5", "out");
    caches.dataset(7, "b.7", "out");
    caches.copy(7);
    daemon.publisher.add(7, false);
    daemon.index.update(before -> before.drop(7));
    caches.copy(5);
    Process operator = new Process("scr", shared);
    operator.overtake(at, () -> new Withdrawal(daemon.paths, daemon.index).delete("b.7"));
    operator.publisher.add(5, false);
    assertThat(daemon.index.read().index().candidates()).as("at " + at).extracting(Index.Entry::id).containsExactly(5);
    assertThat(DatasetVerification.verify(daemon.paths, 5).problems()).as("at " + at).isEmpty();
    return operator.wasOvertaken();
  }

  /** @return false: it has no such operation */
  private static boolean overtakes(Command command, Other other, boolean isListed, int at) {
    SimulatedDisk shared = new SimulatedDisk(() -> 0);
    Process daemon = new Process("n1", shared);
    TestCaches caches = new TestCaches(daemon.root, Scheme.SINGLE, 1, 1, 20);
    caches.dataset(5, "b.5", "out");
    if (other == Other.WRITES_OVER) {
      caches.dataset(7, "b.7", "out");
    }
    caches.copy(5);
    daemon.publisher.add(5, false);
    if (other == Other.REMOVES_REPLACED) {
      caches.dataset(7, "b.5", "out");
      caches.copy(7);
      daemon.ends(daemon.paths.rankMap(5), () -> daemon.publisher.add(7, false));
    }
    if (!isListed) {
      daemon.index.update(before -> before.drop(5));
    }
    Process operator = new Process("scr", shared);
    operator.overtake(at, () -> other.what.accept(daemon, caches));
    try {
      command.what.accept(operator);
    } catch (ScrException e) {
      assertThat(e.fault()).as("at " + at).isIn(command == Command.ADD ? REFUSALS : Set.of());
    }
    for (Index.Entry entry : daemon.index.read().index().candidates()) {
      assertThat(new Publication(daemon.paths, daemon.index).isComplete(entry.id())).as("at " + at).isTrue();
      assertThat(DatasetVerification.verify(daemon.paths, entry.id()).problems()).as("at " + at).isEmpty();
    }
    assertThat(daemon.begun).as("at " + at).allMatch(Files::exists);
    return operator.wasOvertaken();
  }
}
