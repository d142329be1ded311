package io.vertxscr.flow.paths;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PathHashTest {
  /** Nodes of different releases must agree. The first 16 bytes of SHA-256, whose value for "abc" is published. */
  @Test
  void itIsTheFirstHalfOfSha256() {
    assertThat(PathHash.of("abc")).isEqualTo(new PathHash(0xba7816bf8f01cfeaL, 0x414140de5dae2223L));
  }

  @Test
  void hashesComeBackAsTheyWereAndNothingElseIsRead() {
    for (int count = 0; count < 5; count++) {
      List<PathHash> hashes = IntStream.range(0, count).mapToObj(i -> PathHash.of("d/" + i)).toList();
      assertThat(PathHash.unpack(PathHash.pack(hashes))).isEqualTo(hashes);
    }
    for (String bad : List.of("A", "AAAA", "not base64", PathHash.pack(List.of(PathHash.of("a"))) + "A")) {
      assertThatThrownBy(() -> PathHash.unpack(bad)).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
    }
  }

  @Test
  void everyNodeWatchesOverAboutAsMany() {
    int[] owned = new int[7];
    IntStream.range(0, 7000).forEach(i -> owned[PathHash.of("ckpt." + i + "/rank").owner(owned.length)]++);
    assertThat(IntStream.of(owned)).allMatch(count -> count > 850 && count < 1150);
  }
}
