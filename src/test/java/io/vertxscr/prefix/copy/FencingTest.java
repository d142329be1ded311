package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.TIME;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static io.vertxscr.prefix.metadata.Samples.refused;
import static io.vertxscr.prefix.metadata.Samples.withTotals;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.LeaderFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.copy.container.ContainerPaths;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.prefix.publish.DatasetRemoval;
import io.vertxscr.prefix.publish.LeftoverSweep;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.prefix.publish.RetentionWindow;
import io.vertxscr.prefix.publish.Withdrawal;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: of two leaders at one prefix directory, at most the newer one changes it. No order of their steps leaves a
 * complete dataset that is not whole. Method: the steps of a flush as the services make them, two leaders with a node
 * each, all interleavings on a disk in memory. A leader that has ended, refused or done, makes no more steps: orders
 * that differ only in those are one, and run once.
 */
@Execution(ExecutionMode.CONCURRENT)
class FencingTest {
  private static final int OLD = 2;
  private static final int ID = 3;
  private static final int EXTENT_BYTES = 32;               // of files of 40 bytes: two extents
  private static final String PLACE = "r/x";

  private FaultyDisk disk = new FaultyDisk();
  private LocalFiles files = new LocalFiles(disk.system());

  /** A leader with one node, which holds all files of a dataset. */
  private final class Leader {
    private final Samples samples;
    private final String node;
    private final DatasetDescriptor dataset;
    private final RankFiles rank;
    private final FlushCopy copy;
    private final int ranksPerPart;
    private Optional<PrefixToken> token = Optional.empty();
    private Optional<ScrException> failure = Optional.empty();
    private boolean done;

    Leader(Samples samples, String node, int id, int ranksPerPart) {
      this.samples = samples;
      this.node = node;
      this.ranksPerPart = ranksPerPart;
      rank = samples.cached(id, 0, PLACE);
      dataset = withTotals(descriptor(id, "d" + id), List.of(rank));
      copy = new FlushCopy(samples.paths, Samples.owner(id, node), samples.cacheOf(id), new OwnDrafts())
          .resuming(EXTENT_BYTES);
    }

    private LockUser user() {
      LockUser user = new LockUser(node, files, Clock.systemUTC());
      return token.map(user::with).orElse(user);
    }

    private Publication publication() {
      return new Publication(samples.paths, new PrefixIndex(samples.paths, user()));
    }

    private RankMapWriter map() {
      return new RankMapWriter(samples.paths, dataset.id(), 2, ranksPerPart, token);
    }

    private void takeOver() {
      token = Optional.of(PrefixFence.takeOver(samples.paths, user(), node, PrefixToken.id(node.hashCode())));
    }

    private void prepare() {
      if (publication().prepare(dataset)) {
        publication().enlist(dataset, TIME);
        done = true;
      }
    }

    private void copy() {
      copy.extents(List.of(rank)).forEach(extent -> extent.copy(Meter.NONE));
    }

    private void rename() {
      List<DatasetDescriptor> later = publication().laterThan(dataset);
      if (new WrittenOver(samples.paths).owner(Set.of(PLACE), later).isPresent()) {
        publication().enlistReplaced(dataset, later.getFirst());
        copy.discard(rank.files());
        done = true;
        return;
      }
      PrefixFence.naming(samples.paths, user(), () -> copy.publish(rank.files()));
    }

    private void writeMap() {
      RankMapWriter map = map();
      for (int first : map.firstRanks()) {
        map.writePart(first, map.ranksFrom(first).stream()
            .map(r -> r == 0 ? rank : new RankFiles(r, List.of())).toList());
      }
    }

    private void publish() {
      publication().publish(dataset, new Mapping(dataset.totals(), OptionalLong.empty()), map(), TIME, true);
      done = true;
    }

    private List<Runnable> steps() {
      return List.of(this::takeOver, this::prepare, this::copy, this::rename, this::writeMap,
          this::publish);
    }

    private boolean hasEnded() {
      return done || failure.isPresent();
    }

    /** A leader that is refused does nothing more. */
    private void run(Runnable step) {
      if (hasEnded()) {
        return;
      }
      try {
        step.run();
      } catch (ScrException e) {
        failure = Optional.of(e);
      }
    }

    private void flush() {
      steps().forEach(this::run);
    }
  }

  /** A new disk: one remembers all operations. */
  private Samples scene() throws IOException {
    disk.close();
    disk = new FaultyDisk();
    files = new LocalFiles(disk.system());
    return new Samples(disk.directory("/work"));
  }

  @AfterEach
  void closeDisk() throws IOException {
    disk.close();
  }

  /** Whether the names of a dataset have its bytes; while a later one is published, the kept file may have them. */
  private static void requireWhole(Samples samples, int id, String when) {
    List<String> places = new ArrayList<>();
    new RankMapReader(samples.paths, id).forEach(entry -> entry.files().forEach(file -> {
      places.add(file.path());
      byte[] bytes = Samples.bytes(id, entry.rank(), file.path());
      assertThat(candidates(samples, id)).as(when).anyMatch(found -> Arrays.equals(Samples.read(found), bytes));
    }));
    assertThat(places).as(when).containsExactly(PLACE);
  }

  /** Where a fetch looks: the place, and what is kept beside it, but not for the newest dataset. */
  private static List<Path> candidates(Samples samples, int id) {
    Path place = samples.prefix.resolve(PLACE);
    List<Path> found = new ArrayList<>(Files.exists(place) ? List.of(place) : List.of());
    if (id <= ID) {
      try (var kept = Files.newDirectoryStream(place.getParent(), ".x.scr-kept-*")) {
        kept.forEach(found::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  private static void requireSound(Samples samples, String when) {
    Index index = samples.index.read().index();
    boolean published = false;
    for (int id : List.of(ID, ID + 1)) {
      Optional<Index.Entry> entry = index.find(id);
      if (samples.publication.isComplete(id) && entry.flatMap(e -> e.replacedBy().stream().boxed().findAny()).isEmpty()
          && index.entries().stream().noneMatch(e -> e.id() > id && e.complete())) {
        requireWhole(samples, id, when + ", dataset " + id);
        published = true;
      }
    }
    if (!published) {
      byte[] old = Samples.bytes(OLD, 0, PLACE);
      assertThat(candidates(samples, OLD)).as("the older one, " + when)
          .anyMatch(file -> Arrays.equals(Samples.read(file), old));
    }
  }

  /** The steps that two leaders have made in the orders so far. */
  private static final class Tried {
    /** After these steps, has the leader of the last one ended? */
    private final Map<String, Boolean> ended = new HashMap<>();
    private String made = "";

    /** Whether an earlier order has come to the same steps of leaders that had not ended. */
    boolean includes(int order, int steps) {
      Set<Character> gone = new HashSet<>();
      String path = "";
      for (int i = 0; i < steps; i++) {
        char leader = name(order, i);
        if (!gone.contains(leader)) {
          path += leader;
          Boolean end = ended.get(path);
          if (end == null) {
            return false;
          } else if (end) {
            gone.add(leader);
          }
        }
      }
      return true;
    }

    void begin() {
      made = "";
    }

    void step(char leader, boolean hasEnded) {
      made += leader;
      assertThat(ended.put(made, hasEnded)).as("as before after the steps " + made).isIn(null, hasEnded);
    }

    static char name(int order, int step) {
      return (order >> step & 1) == 0 ? 'a' : 'b';
    }
  }

  /** Runs both leaders in every order of their steps; a leader that was refused tries again afterwards. */
  private void everyInterleaving(int idOfA, int idOfB) throws IOException {
    int steps = 6;
    int complete = 0;
    Tried tried = new Tried();
    for (int order = 0; order < 1 << 2 * steps; order++) {
      if (Integer.bitCount(order) != steps || tried.includes(order, 2 * steps)) {
        continue;
      }
      tried.begin();
      Samples samples = scene();
      samples.flush(descriptor(OLD, "d" + OLD), List.of(samples.cached(OLD, 0, PLACE)));
      Leader a = new Leader(samples, "a", idOfA, 1);
      Leader b = new Leader(samples, "b", idOfB, 2);
      String when = "order " + Integer.toBinaryString(order);
      int ofA = 0;
      int ofB = 0;
      for (int i = 0; i < 2 * steps; i++) {
        boolean mine = Tried.name(order, i) == 'a';
        Leader leader = mine ? a : b;
        int step = mine ? ofA++ : ofB++;
        if (!leader.hasEnded()) {
          leader.run(leader.steps().get(step));
          tried.step(Tried.name(order, i), leader.hasEnded());
          requireSound(samples, when + " after step " + i);
        }
      }
      complete += a.done || b.done ? 1 : 0;
      for (Leader leader : List.of(a, b)) {
        leader.failure.ifPresent(e -> assertThat(e.fault()).as(when + ": " + e.getMessage())
            .isIn(Fault.TAKEN_OVER, Fault.NO_SUCH_FILE));
        Leader again = new Leader(samples, leader.node, leader.dataset.id(), leader.ranksPerPart);
        again.flush();
        assertThat(again.failure).as(when).isEmpty();
        requireSound(samples, when + " at the end");
      }
      assertThat(samples.publication.isComplete(Math.max(idOfA, idOfB))).as(when).isTrue();
      for (Leader leader : List.of(a, b)) {
        if (samples.publication.isComplete(leader.dataset.id())) {
          new LeftoverSweep(samples.paths, samples.index).sweep(leader.dataset.key());
        }
      }
      try (var left = Files.list(samples.prefix.resolve("r"))) {
        Set<String> names = new HashSet<>();
        left.forEach(file -> names.add(file.getFileName().toString()));
        assertThat(names).as(when).noneMatch(name -> name.contains("draft") || name.contains("marks"));
      }
    }
    assertThat(complete).as("orders in which one of them got through at once").isPositive();
  }

  @Test
  void twoLeadersThatFlushOneDatasetInAnyOrderLeaveItWhole() throws IOException {
    everyInterleaving(ID, ID);
  }

  @Test
  void anOlderDatasetOfOneLeaderIsNeverWrittenOverTheNewerOneOfAnother() throws IOException {
    everyInterleaving(ID, ID + 1);
  }

  @Test
  void everyTakeoverHasAHigherEpochAndTheOneBeforeItIsRefused() throws IOException {
    Samples samples = scene();
    Leader a = new Leader(samples, "a", ID, 1);
    Leader b = new Leader(samples, "b", ID, 1);
    a.takeOver();
    b.takeOver();
    assertThat(a.token.orElseThrow().epoch()).isOne();
    assertThat(LeaderFile.decode(Samples.read(samples.paths.leaderFile()))).isEqualTo(b.token.orElseThrow());
    assertThat(b.token.orElseThrow().epoch()).isEqualTo(2);
    refused(Fault.TAKEN_OVER, a::prepare, "epoch 2 of node b", "epoch 1 of node a");
    a.takeOver();
    a.prepare();
    Files.write(samples.paths.leaderFile(), new byte[] {1});
    refused(Fault.TAKEN_OVER, a::prepare, "says nothing");
    b.takeOver();
    refused(Fault.TAKEN_OVER, a::prepare, "epoch 1 of node b");
  }

  @Test
  void nobodyTakesOverWhileANodeGivesNamesAndManyNodesMay() throws IOException {
    Samples samples = scene();
    Leader a = new Leader(samples, "a", ID, 1);
    Leader b = new Leader(samples, "b", ID, 1);
    a.takeOver();
    PrefixFence.naming(samples.paths, a.user(), () -> {
      assertThatThrownBy(b::takeOver).isInstanceOf(LockHeldException.class).hasMessageContaining("leader.lock");
      return PrefixFence.naming(samples.paths, a.user(), () -> a);
    });
    b.takeOver();
    assertThatThrownBy(() -> PrefixFence.naming(samples.paths, a.user(), () -> a)).isInstanceOf(ScrException.class);
  }

  @Test
  void aDatasetIsNotSealedOverAMapWhosePartsAreGone() throws IOException {
    Samples samples = scene();
    Leader a = new Leader(samples, "a", ID, 1);
    a.steps().subList(0, 5).forEach(a::run);
    new Leader(samples, "b", ID, 1).steps().subList(0, 2).forEach(Runnable::run);
    a.run(a::publish);
    assertThat(a.failure.orElseThrow().fault()).isEqualTo(Fault.TAKEN_OVER);
    assertThat(samples.publication.isComplete(ID)).isFalse();

    Leader c = new Leader(samples, "c", ID, 1);
    c.steps().subList(0, 5).forEach(c::run);
    MetadataLoss.lose(samples.paths.dataset(ID), "rank2file.0.1");
    c.run(c::publish);
    assertThat(c.failure.orElseThrow().fault()).isEqualTo(Fault.NO_SUCH_FILE);
    assertThat(samples.publication.isComplete(ID)).isFalse();
  }

  /** Removes the files whose names begin so. */
  private static final class MetadataLoss {
    static void lose(Path directory, String prefix) throws IOException {
      try (var all = Files.newDirectoryStream(directory, prefix + "*")) {
        for (Path file : all) {
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void containersThatWereSealedMeanwhileStay() throws IOException {
    Samples samples = scene();
    Leader a = new Leader(samples, "a", ID, 1);
    a.takeOver();
    assertThat(samples.publication.prepare(a.dataset)).isFalse();
    Leader b = new Leader(samples, "b", ID, 1);
    b.flush();
    Path container = new ContainerPaths(samples.paths.dataset(ID)).directory().resolve("ctr.0.scr");
    Samples.write(container, new byte[] {1});
    ContainerDrafts late =
        new ContainerDrafts(samples.paths, ID, ContainerDrafts.name("1.a", a.token.orElseThrow()));
    refused(Fault.TAKEN_OVER, () -> new PrefixIndex(samples.paths, a.user()).exclusively(_ -> late.prepare()));
    refused(Fault.WRONG_STATE, late::prepare, "complete");
    assertThat(container).exists();
  }

  @Test
  void draftContainersOfAnEarlierTokenAreTakenOverAndItsLateNodesFindNone() throws IOException {
    Samples samples = scene();
    PrefixToken first = new PrefixToken(1, "a", PrefixToken.id(1));
    PrefixToken second = new PrefixToken(2, "b", PrefixToken.id(2));
    new ContainerDrafts(samples.paths, ID, ContainerDrafts.name("7.aa", first)).prepare();
    Path old = ContainerDrafts.directory(samples.paths, ID, ContainerDrafts.name("7.aa", first));
    Samples.write(old.resolve("ctr.0.scr"), new byte[] {1});
    ContainerDrafts drafts = new ContainerDrafts(samples.paths, ID, ContainerDrafts.name("7.aa", second));
    drafts.prepare();
    assertThat(old).doesNotExist();
    Path now = ContainerDrafts.directory(samples.paths, ID, ContainerDrafts.name("7.aa", second));
    assertThat(now.resolve("ctr.0.scr")).hasBinaryContent(new byte[] {1});
    refused(Fault.IO, () -> new ContainerDrafts(samples.paths, ID, ContainerDrafts.name("7.aa", first)).publish(1));
    new ContainerDrafts(samples.paths, ID, ContainerDrafts.name("7.bb", second)).prepare();
    assertThat(now).as("of another layout").doesNotExist();
  }

  @Test
  void theWindowLeavesADatasetThatWasListedUnderTheNameMeanwhile() throws IOException {
    Samples samples = scene();
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "a/x")));
    samples.flush(descriptor(2, "same"), List.of(samples.cached(2, 0, "b/x")));
    samples.flush(descriptor(3, "c"), List.of(samples.cached(3, 0, "c/x")));
    List<Integer> gone = new ArrayList<>();
    new RetentionWindow(samples.paths, samples.index).slide(1, _ -> true, dataset -> {
      gone.add(dataset.id());
      if (dataset.id() == 1) {
        samples.flush(descriptor(4, "same"), List.of(samples.cached(4, 0, "b/y")));
      }
    });
    assertThat(gone).containsExactly(1);
    assertThat(samples.index.read().index().entries()).extracting(Index.Entry::id).containsExactly(3, 4);
    assertThat(samples.prefix.resolve("b/y")).hasBinaryContent(Samples.bytes(4, 0, "b/y"));
  }

  @Test
  void aRemovalStopsWhereItsIdIsAnotherDatasets() throws IOException {
    Samples samples = scene();
    samples.flush(descriptor(1, "a"), List.of(samples.cached(1, 0, "a/x")));
    new Withdrawal(samples.paths, samples.index).drop("a");
    DatasetDescriptor other = descriptor(1, "a");
    refused(Fault.WRONG_STATE, () -> new DatasetRemoval(samples.paths, samples.index).remove(
        new DatasetKey(1, other.createdUs() + 1)), "dataset 1");
    assertThat(samples.prefix.resolve("a/x")).exists();
  }
}
