package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.OwnDrafts;
import io.vertxscr.prefix.metadata.DraftOwner;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetPublisher;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.scavenge.Workers;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a command and a daemon's flush that want the same paths leave what is listed whole. Method: a simulated file
 * system; before each of the command's operations in turn, the daemon makes the next step of a flush that has come to
 * some step, and the others when the command has ended.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class CommandsBesideFlushTest {
  private static final String NODE = "n0";
  /** Of the flush. */
  private static final int ID = 9;
  private static final int STEPS = 6;
  /** That gives names. */
  private static final int FIRST = 3;

  private enum Command {
    /** Puts files of an older dataset where the flush has renamed its own. */
    PUBLISHES {
      @Override
      void prepare(TestCaches caches, PrefixProcess daemon) {
        caches.dataset(5, "b.5", "out");
        caches.copy(5);
      }

      @Override
      void run(DatasetPublisher publisher) {
        publisher.add(5, false);
      }
    },
    /** Removes files of an older dataset where the flush renames its own. */
    REPLACES {
      @Override
      void prepare(TestCaches caches, PrefixProcess daemon) {
        caches.dataset(5, "b", "out");
        caches.copy(5);
        daemon.publisher.add(5, false);
        caches.dataset(7, "b", "other");
        caches.copy(7);
      }

      @Override
      void run(DatasetPublisher publisher) {
        publisher.add(7, false);
      }
    };

    abstract void prepare(TestCaches caches, PrefixProcess daemon);

    abstract void run(DatasetPublisher publisher);
  }

  /** A daemon, which leads and holds all files. */
  private static final class Flush {
    private final PrefixProcess daemon;
    private final DatasetDescriptor dataset;
    private final List<RankFiles> ranks;
    private final FlushCopy copy;
    private Optional<PrefixToken> token = Optional.empty();
    private int made;

    Flush(PrefixProcess daemon, TestCaches caches) {
      this.daemon = daemon;
      dataset = caches.record(NODE, ID).descriptor();
      ranks = caches.record(NODE, ID).ranks().stream().map(RankRecord::files).toList();
      copy = new FlushCopy(
          daemon.paths, new DraftOwner(dataset.key(), NODE), caches.directory(NODE, ID), new OwnDrafts());
    }

    private LockUser user() {
      return daemon.user.with(token.orElseThrow());
    }

    private Publication publication() {
      return new Publication(daemon.paths, new PrefixIndex(daemon.paths, user()));
    }

    private RankMapWriter map() {
      return new RankMapWriter(daemon.paths, ID, ranks.size(), 1, token);
    }

    /** The next one. A refused flush begins anew. */
    void step() {
      try {
        switch (made) {
          case 0 -> token = Optional.of(PrefixFence.takeOver(daemon.paths, daemon.user, NODE, PrefixToken.id(made)));
          case 1 -> publication().prepare(dataset);
          case 2 -> ranks.forEach(rank -> rank.files().forEach(copy::copy));
          case 3 -> PrefixFence.naming(daemon.paths, user(), () ->
              ranks.stream().map(rank -> copy.publish(rank.files())).toList());
          case 4 -> ranks.forEach(rank -> map().writePart(rank.rank(), List.of(rank)));
          default -> publication().publish(dataset, new Mapping(dataset.totals(), OptionalLong.empty()), map(),
              LocalDateTime.now(PrefixProcess.CLOCK), true);
        }
        made++;
      } catch (ScrException e) {
        assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.TAKEN_OVER);
        made = 0;
      }
    }

    void finish() {
      while (made < STEPS) {
        step();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsListedIsWhole(Command command) {
    for (int made = FIRST; made < STEPS; made++) {
      int behind = made;
      Workers.alone(() -> overtakesAnywhere(command, behind));
    }
  }

  private static void overtakesAnywhere(Command command, int made) {
    int at = 1;
    while (overtakes(command, made, at)) {
      at++;
    }
    assertThat(at).isGreaterThan(20);
  }

  /** @return false: the command has no such operation */
  private static boolean overtakes(Command command, int made, int at) {
    String when = "a step of the flush before operation " + at + ", behind its first " + made;
    SimulatedDisk shared = new SimulatedDisk(new AtomicLong()::incrementAndGet);
    PrefixProcess daemon = new PrefixProcess(NODE, shared);
    TestCaches caches = new TestCaches(daemon.root, Scheme.SINGLE, 1, 1, 20);
    command.prepare(caches, daemon);
    caches.dataset(ID, "b." + ID, "out");
    Flush flush = new Flush(daemon, caches);
    while (flush.made < made) {
      flush.step();
    }
    PrefixProcess operator = new PrefixProcess("scr", shared);
    operator.overtake(at, flush::step);
    try {
      command.run(operator.publisher);
    } catch (ScrException e) {
      assertThat(e.fault()).as(when).isEqualTo(Fault.WRONG_STATE);   // a later dataset has its paths
    }
    flush.finish();
    assertThat(daemon.index.read().index().candidates()).as(when).extracting(Index.Entry::id).contains(ID);
    for (Index.Entry entry : daemon.index.read().index().candidates()) {
      assertThat(DatasetVerification.verify(daemon.paths, entry.id()).problems()).as(when + ", dataset " + entry.id())
          .isEmpty();
    }
    return operator.wasOvertaken();
  }
}
