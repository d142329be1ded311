package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

/** Goal: every dataset gets the documented descriptor, and no set of descriptors omits one. */
class DescriptorsTest {
  private static final Redundancy XOR = Redundancy.of(Scheme.XOR, 8);
  private static final StoreDescriptor TMP = StoreDescriptor.of("/tmp", 1);

  @Test
  void theLargestIntervalThatDividesTheCheckpointIdIsChosen() {
    Descriptors descriptors = descriptors(1, 4, 8);

    assertThat(IntStream.rangeClosed(1, 16).map(id -> descriptors.descriptorFor(id).index()).boxed().toList())
        .containsExactly(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2);
  }

  @Test
  void everyListOfUpToFourIntervalsAgreesWithACountingReader() {
    for (int code = 0; code < 6 * 6 * 6; code++) {
      int[] intervals = {1, 1 + code % 6, 1 + code / 6 % 6, 1 + code / 36};
      Descriptors descriptors = descriptors(intervals);
      for (int id = 1; id <= 60; id++) {
        int best = 0;
        for (int i = 1; i < intervals.length; i++) {
          best = id % intervals[i] == 0 && intervals[i] > intervals[best] ? i : best;
        }
        assertThat(descriptors.descriptorFor(id).index()).as("checkpoint " + id + " of " + Arrays.toString(intervals))
            .isEqualTo(best);
      }
    }
  }

  @Test
  void outputTakesItsOwnDescriptorWhereThereIsOne() {
    Descriptors plain = descriptors(1, 4);
    Descriptors withOutput = new Descriptors(plain.checkpoints(), OptionalInt.of(1), plain.stores(), plain.groups());

    assertThat(withOutput.descriptorFor(DatasetFlags.OUTPUT, 0).index()).isEqualTo(1);
    assertThat(withOutput.descriptorFor(DatasetFlags.CHECKPOINT_AND_OUTPUT, 3).index()).isEqualTo(1);
    assertThat(withOutput.descriptorFor(DatasetFlags.CHECKPOINT, 3).index()).isEqualTo(0);
    assertThat(plain.descriptorFor(DatasetFlags.OUTPUT, 0).index()).isEqualTo(0);
    assertThat(plain.descriptorFor(DatasetFlags.CHECKPOINT_AND_OUTPUT, 8).index()).isEqualTo(1);
  }

  @Test
  void aDisabledDescriptorIsNeverChosen() {
    Descriptors descriptors = new Descriptors(List.of(checkpoint(0, true, 1, "/tmp"), checkpoint(1, false, 2, "/tmp")),
        OptionalInt.empty(), List.of(TMP), GroupDescriptors.BUILT_IN);

    assertThat(descriptors.descriptorFor(2).index()).isEqualTo(0);
  }

  @Test
  void redundancyThatCannotWorkIsRefusedByName() {
    assertThat(new Redundancy(Scheme.RS, 254, 2).failures()).isEqualTo(2);
    refused("set size and failures are together at most 256", () -> new Redundancy(Scheme.RS, 254, 3));
    refused("RS in sets of 4: 4 failures cannot be survived", () -> new Redundancy(Scheme.RS, 4, 4));
    refused("XOR survives 1 failure, not 2", () -> new Redundancy(Scheme.XOR, 8, 2));
    refused("SINGLE in sets of 8", () -> new Redundancy(Scheme.SINGLE, 8, 1));
  }

  private static void refused(String why, ThrowableAssert.ThrowingCallable what) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining(why);
  }

  @Test
  void whatWouldLeaveACheckpointWithoutADescriptorIsRefused() {
    refused("no enabled checkpoint descriptor has INTERVAL=1", checkpoint(0, true, 2, "/tmp"));
    refused("no enabled checkpoint descriptor has INTERVAL=1", checkpoint(0, false, 1, "/tmp"));
    refused("CKPT=1 is missing", checkpoint(0, true, 1, "/tmp"), checkpoint(2, true, 2, "/tmp"));
    refused("there is no store /ssd that is enabled; there are [/tmp]", checkpoint(0, true, 1, "/ssd"));
  }

  @Test
  void nodesHaveTheirValuesAndTheBuiltInOnes() {
    GroupDescriptors groups = new GroupDescriptors(new TreeMap<>(Map.of("n1", new TreeMap<>(Map.of("POWER", "psu1")))));

    assertThat(groups.valueOf("POWER", "n1")).isEqualTo("psu1");
    assertThat(groups.valueOf(GroupDescriptors.NODE, "n2")).isEqualTo("n2");
    assertThat(groups.valueOf(GroupDescriptors.WORLD, "n2")).isEqualTo("WORLD");
    assertThatThrownBy(() -> groups.valueOf("POWER", "n2")).isInstanceOf(ScrException.class)
        .hasMessageContaining("add a line GROUPS=n2 POWER=...");
  }

  private static void refused(String why, CheckpointDescriptor... checkpoints) {
    assertThatThrownBy(() -> new Descriptors(
        List.of(checkpoints), OptionalInt.empty(), List.of(TMP), GroupDescriptors.BUILT_IN))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining(why);
  }

  private static Descriptors descriptors(int... intervals) {
    return new Descriptors(IntStream.range(0, intervals.length)
        .mapToObj(i -> checkpoint(i, true, intervals[i], "/tmp")).toList(),
        OptionalInt.empty(), List.of(TMP), GroupDescriptors.BUILT_IN);
  }

  private static CheckpointDescriptor checkpoint(int index, boolean enabled, int interval, String store) {
    return new CheckpointDescriptor(index, enabled, interval, GroupDescriptors.NODE, store, XOR, false);
  }
}
