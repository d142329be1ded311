package io.vertxscr.flow.gather;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GatherReducersTest {
  private static final Job JOB = new Job("u", "heat", "439", "c");

  private static Part.Start start(String name, int flags, int lastDatasetId, int lastCheckpointId) {
    return new Part.Start(name, flags, lastDatasetId, lastCheckpointId, 0, Part.RoomEstimate.ENOUGH);
  }

  private static List<NodeContribution<Part.Start>> starts(Part.Start... parts) {
    return from(List.of(parts));
  }

  private static <T> List<NodeContribution<T>> from(List<T> parts) {
    List<NodeContribution<T>> from = new ArrayList<>();
    for (T part : parts) {
      from.add(new NodeContribution<>("n" + from.size(), part));
    }
    return from;
  }

  @Test
  void aNewDatasetIsOneBeyondTheHighestThatAnyNodeKnows() {
    assertThat(GatherReducers.start(starts(start("a", 1, 3, 7), start("a", 1, 9, 2)), 77, JOB))
        .isEqualTo(new DatasetDescriptor(10, "a", DatasetFlags.CHECKPOINT, 8, 77, JOB, Totals.NONE));
    assertThat(GatherReducers.start(starts(start("a", 3, 0, 0)), 77, JOB))
        .isEqualTo(new DatasetDescriptor(1, "a", DatasetFlags.CHECKPOINT_AND_OUTPUT, 1, 77, JOB, Totals.NONE));
  }

  @Test
  void aNewDatasetIsLaterThanAllThatAnyNodeKnowsThoughTheClockIsBehind() {
    Part.Start early = new Part.Start("a", 1, 3, 7, 70, Part.RoomEstimate.ENOUGH);
    Part.Start late = new Part.Start("a", 1, 3, 7, 99, Part.RoomEstimate.ENOUGH);
    assertThat(GatherReducers.start(starts(early, late, early), 77, JOB).createdUs()).isEqualTo(100);
    assertThat(GatherReducers.start(starts(early, late, early), 99, JOB).createdUs()).isEqualTo(100);
    assertThat(GatherReducers.start(starts(early, late, early), 101, JOB).createdUs()).isEqualTo(101);
  }

  @Test
  void whatOneNodeMustDeleteToHaveRoomAllDelete() {
    assertThat(GatherReducers.evictions(starts(start("a", 1, 9, 9), with(new Part.RoomEstimate(List.of(7, 3), "")),
        with(new Part.RoomEstimate(List.of(3), ""))))).containsExactly(3, 7);
  }

  @Test
  void whereOneNodeHasNoRoomTheNodeIsNamed() {
    assertThat(GatherReducers.full(starts(with(new Part.RoomEstimate(List.of(7), "")),
        with(new Part.RoomEstimate(List.of(), "no room in store /ssd")))).orElseThrow())
        .isEqualTo("node n1: no room in store /ssd");
    assertThat(GatherReducers.full(starts(with(Part.RoomEstimate.ENOUGH)))).isEmpty();
  }

  private static Part.Start with(Part.RoomEstimate room) {
    return new Part.Start("a", 1, 9, 9, 0, room);
  }

  @Test
  void pureOutputHasNoCheckpointId() {
    assertThat(GatherReducers.start(starts(start("a", 2, 3, 7)), 1, JOB).checkpointId()).isZero();
  }

  @Test
  void aDatasetWithoutANameIsCalledByItsId() {
    assertThat(GatherReducers.start(starts(start("", 1, 41, 0)), 1, JOB).name()).isEqualTo("scr.dataset.42");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void nodesThatDisagreeOnTheNameAreNamedWithWhatTheySay(int odd) {
    List<Part.Start> parts = IntStream.range(0, 3)
        .mapToObj(i -> start(i == odd ? "b" : "a", 1, 0, 0)).toList();
    int second = odd == 0 ? 1 : odd;
    refuses(() -> GatherReducers.start(from(parts), 1, JOB), Fault.RANKS_DISAGREE,
        "node n0 say \"" + parts.get(0).name() + "\" flags 1",
        "node n" + second + " say \"" + parts.get(second).name() + "\" flags 1");
  }

  @Test
  void nodesThatDisagreeOnTheFlagsAreRefused() {
    refuses(() -> GatherReducers.start(starts(start("a", 1, 0, 0), start("a", 3, 0, 0)), 1, JOB),
        Fault.RANKS_DISAGREE, "flags 1", "flags 3");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4, 6, 8, Integer.MAX_VALUE})
  void flagsThatMeanNothingAreRefused(int flags) {
    refuses(() -> GatherReducers.start(starts(start("a", flags, 0, 0)), 1, JOB), Fault.BAD_REQUEST,
        "flags " + flags);
  }

  @Test
  void whenTheIdsAreUsedUpNoDatasetGetsANegativeOne() {
    refuses(() -> GatherReducers.start(starts(start("a", 1, Integer.MAX_VALUE, 0)), 1, JOB), Fault.BAD_REQUEST,
        "id");
  }

  @Test
  void totalsAreTheSumsOfAllNodes() {
    long big = 1L << 40;
    assertThat(GatherReducers.complete(from(List.of(new Part.Complete(5, List.of(), "", "", new Totals(2, big)),
        new Part.Complete(5, List.of(), "", "", Totals.NONE),
        new Part.Complete(5, List.of(), "", "", new Totals(3, 7))))))
        .isEqualTo(new Totals(5, big + 7));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneInvalidRankOnAnyNodeDiscardsTheDataset(int bad) {
    List<Part.Complete> parts = IntStream.range(0, 3).mapToObj(i ->
        new Part.Complete(5, i == bad ? List.of(4 + i) : List.of(), i == bad ? "no file x" : "", "",
            new Totals(1, 1))).toList();
    refuses(() -> GatherReducers.complete(from(parts)), Fault.NOT_VALID,
        "dataset 5", "rank " + (4 + bad) + " on node n" + bad, "no file x");
  }

  @Test
  void whatANodeRefusesItselfIsToldBeforeWhatRanksSay() {
    Part.Complete invalid = new Part.Complete(5, List.of(1), "no file x", "", Totals.NONE);
    Part.Complete refused = new Part.Complete(5, List.of(), "", "x is of rank 1 and of rank 3", new Totals(1, 1));
    assertThatThrownBy(() -> GatherReducers.complete(from(List.of(invalid, refused, refused))))
        .hasMessage("dataset 5 is discarded: x is of rank 1 and of rank 3");
  }

  @Test
  void whatWentPastTheCacheIsSummedUpWhenAllHaveReadTheirFilesBack() {
    Part.Done good = new Part.Done(5, 0, "");
    Part.Published first = new Part.Published(dataset(), new Totals(2, 1L << 40), 0, false, good);
    Part.Published second = new Part.Published(dataset(), new Totals(1, 7), 0, false, good);
    assertThat(GatherReducers.published(from(List.of(first, second)))).isEqualTo(new Totals(3, (1L << 40) + 7));
    Part.Published bad =
        new Part.Published(dataset(), Totals.NONE, 0, false, new Part.Done(5, 20, "rank 2 wrote none"));
    refuses(() -> GatherReducers.published(from(List.of(first, bad))), Fault.NOT_VALID,
        "on node n1: rank 2 wrote none");
  }

  private static DatasetDescriptor dataset() {
    return GatherReducers.start(starts(start("a", 1, 4, 0)), 1, JOB);
  }

  @Test
  void manyInvalidRanksAreNamedUpToEight() {
    List<Integer> nine = IntStream.range(10, 19).boxed().toList();
    refuses(
        () -> GatherReducers.complete(from(List.of(new Part.Complete(5, nine.subList(0, 8), "w", "", Totals.NONE)))),
        Fault.NOT_VALID, "ranks 10, 11, 12, 13, 14, 15, 16, 17 on node n0");
    refuses(() -> GatherReducers.complete(from(List.of(new Part.Complete(5, nine, "w", "", Totals.NONE)))),
        Fault.NOT_VALID, "ranks 10, 11, 12, 13, 14, 15, 16, 17 and 1 more on node n0");
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void theFirstNodesFaultIsToldWithTheNumberOfTheOthers(Fault fault) {
    Part.Done fine = new Part.Done(5, 0, "");
    Part.Done bad = new Part.Done(5, fault.number(), "disk on fire");
    assertThatCode(() -> GatherReducers.done(from(List.of(fine, fine)))).doesNotThrowAnyException();
    assertThatThrownBy(() -> GatherReducers.done(from(List.of(fine, bad))))
        .hasMessage("dataset 5 on node n1: disk on fire");
    refuses(() -> GatherReducers.done(from(List.of(fine, bad, fine, new Part.Done(5, 1, "other")))), fault,
        "dataset 5 on node n1 (and 1 more): disk on fire");
  }

  @Test
  void whoCouldNotReadARestartIsNamed() {
    Part.InvalidRanks fine = new Part.InvalidRanks(List.of());
    assertThat(GatherReducers.unread(from(List.of(fine, fine)))).isEmpty();
    assertThat(GatherReducers.unread(from(List.of(fine, new Part.InvalidRanks(List.of(3, 4))))))
        .contains("ranks 3, 4 on node n1 could not read it");
  }

  private static void refuses(ThrowingCallable call, Fault fault, String... words) {
    assertThatThrownBy(call).isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault))
        .message().contains(words);
  }
}
