package io.vertxscr.format;

import static io.vertxscr.format.Samples.DESCRIPTOR;
import static io.vertxscr.format.Samples.SET;
import static io.vertxscr.format.Samples.files;
import static io.vertxscr.format.Samples.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: the border between header and redundancy bytes is always found, and never where it is not. */
class RedundancyHeaderFileTest {
  @Test
  void decodingStopsAtTheFirstRedundancyByte() {
    byte[] header = RedundancyHeaderFile.encode(header());
    ByteBuffer file = ByteBuffer.allocateDirect(7 + header.length + 9).position(7).put(header).position(7);
    assertThat(RedundancyHeaderFile.decode(file)).isEqualTo(header());
    assertThat(file.remaining()).isEqualTo(9);
    assertThat(RedundancyHeaderFile.decode(Arrays.copyOf(header, header.length + 9))).isEqualTo(header());
  }

  @Test
  void refusedHeaderLeavesThePositionWhereItWas() {
    byte[] header = RedundancyHeaderFile.encode(header());
    header[header.length - 5] ^= 1;
    ByteBuffer file = ByteBuffer.wrap(header);
    assertThatThrownBy(() -> RedundancyHeaderFile.decode(file)).isInstanceOf(ScrException.class);
    assertThat(file.position()).isZero();
  }

  @Test
  void sizeIsKnownFromTheFirstTwentyBytes() {
    byte[] header = RedundancyHeaderFile.encode(header());
    assertThat(RedundancyHeaderFile.sizeOf(Arrays.copyOf(header, 20))).isEqualTo(header.length);
    assertThatThrownBy(() -> RedundancyHeaderFile.sizeOf(Arrays.copyOf(header, 19)))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
  }

  @Test
  void lengthWithAllChecksumsIsKnownBeforeThem() {
    for (int crc : new int[] {0, 1, 0x7fffffff, -1}) {
      RedundancyHeader known = with(OptionalInt.of(crc));
      assertThat(RedundancyHeaderFile.encode(known)).hasSize(RedundancyHeaderFile.encodedBytes(known));
      assertThat(RedundancyHeaderFile.encodedBytes(with(OptionalInt.empty())))
          .isEqualTo(RedundancyHeaderFile.encodedBytes(known));
    }
  }

  @Test
  void headerWithUnknownChecksumsComesBack() {
    RedundancyHeader unknown = with(OptionalInt.empty());
    assertThat(RedundancyHeaderFile.decode(RedundancyHeaderFile.encode(unknown))).isEqualTo(unknown);
  }

  @Test
  void anyNumberOfPartnersComesBack() {
    List<RankFiles> all = List.of(files(1), files(5));
    for (int partners = 0; partners <= all.size(); partners++) {
      RedundancyHeader header = new RedundancyHeader(DESCRIPTOR, 8, SET, 1, files(2), all.subList(0, partners));
      assertThat(RedundancyHeaderFile.decode(RedundancyHeaderFile.encode(header))).isEqualTo(header);
    }
  }

  @Test
  void membersThatDoNotBelongTogetherAreRefused() {
    for (RedundancyHeader wrong : List.of(
        new RedundancyHeader(DESCRIPTOR, 8, SET, 1, files(3), List.of()),
        new RedundancyHeader(DESCRIPTOR, 8, SET, 1, files(2), List.of(files(5))),
        new RedundancyHeader(DESCRIPTOR, 5, SET, 1, files(2), List.of(files(1))))) {
      byte[] file = RedundancyHeaderFile.encode(wrong);
      assertThatThrownBy(() -> RedundancyHeaderFile.decode(file))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
    }
  }

  private static RedundancyHeader with(OptionalInt crc) {
    RankFiles current = new RankFiles(2, List.of(new FileMeta("f", "d/f", 1, crc), new FileMeta("g", "g", 2, crc)));
    return new RedundancyHeader(DESCRIPTOR, 8, SET, 1, current, List.of(new RankFiles(1, current.files())));
  }
}
