package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.SmallRank;
import java.util.List;
import java.util.OptionalInt;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Goal: small files arrive as they were sent. */
class SmallRankTest {
  private static final byte[] BYTES = {1, 2, 3, -4, 5};
  private static final RankFiles FILES = new RankFiles(2, List.of(
      new FileMeta("rank.2/a", "out/a", 2, crc(0, 2)), new FileMeta("rank.2/b", "out/b", 3, crc(2, 3))));

  private static OptionalInt crc(int begin, int count) {
    CRC32 crc = new CRC32();
    crc.update(BYTES, begin, count);
    return OptionalInt.of((int) crc.getValue());
  }

  private static SmallRank sent(SmallRank message) {
    return Wire.fromBytes(Wire.toBytes(message), SmallRank.class);
  }

  @Test
  void whoDescribesThemHearsOfEachFileAndOthersHaveTheSameBytesAsOne() {
    SmallRank described = sent(SmallRank.described(FILES, BYTES));
    assertThat(described.rankFiles()).isEqualTo(FILES);
    assertThat(described.content()).isEqualTo(BYTES);
    SmallRank other = sent(SmallRank.of(FILES, BYTES));
    assertThat(other.rankFiles()).isEqualTo(
        new RankFiles(2, List.of(new FileMeta("", "", BYTES.length, crc(0, BYTES.length)))));
    assertThat(other.content()).isEqualTo(BYTES);
  }

  @Test
  void whatIsNoBase64IsRefused() {
    for (String bytes : List.of("AQID_AU", "=", "A")) {
      assertThatThrownBy(() -> new SmallRank(2, FILES.files(), bytes).content()).as(bytes)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST))
          .hasMessageContaining("rank 2");
    }
  }
}
