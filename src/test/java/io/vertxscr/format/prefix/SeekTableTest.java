package io.vertxscr.format.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.SeekTable.Frame;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Goal: the seek table is the one of the zstd seekable format, and nothing else is taken for one. */
class SeekTableTest {
  private static SeekTable table(int frames) {
    SeekTable table = new SeekTable();
    for (int i = 0; i < frames; i++) {
      table.add(new Frame(0x01020304 + i, 0x05060708, 0xf1f2f3f4));
    }
    return table;
  }

  private static byte[] bytes(SeekTable table) {
    return table.encode().array();
  }

  @Test
  void bytesAreThoseOfTheFormat() {
    assertThat(HexFormat.of().formatHex(bytes(table(1)))).isEqualTo("5e2a4d18" + "15000000"
        + "04030201" + "08070605" + "f4f3f2f1" + "01000000" + "80" + "b1ea928f");
    assertThat(HexFormat.of().formatHex(bytes(table(0)))).isEqualTo("5e2a4d18" + "09000000" + "00000000"
        + "80" + "b1ea928f");
  }

  @Test
  void whatWasWrittenIsReadForEveryNumberOfFrames() {
    for (int frames = 0; frames < 40; frames++) {
      SeekTable written = table(frames);
      byte[] bytes = bytes(written);
      ByteBuffer footer = ByteBuffer.wrap(bytes, bytes.length - SeekTable.FOOTER_BYTES, SeekTable.FOOTER_BYTES);
      assertThat(SeekTable.tableBytes(footer)).isEqualTo(bytes.length).isEqualTo(written.encodedBytes());
      SeekTable read = SeekTable.decode(ByteBuffer.wrap(bytes));
      assertThat(read.count()).isEqualTo(frames);
      assertThat(bytes(read)).isEqualTo(bytes);
      assertThat(read.storedBytes()).isEqualTo(written.storedBytes());
      assertThat(read.bytes()).isEqualTo(frames * 0x05060708L);
    }
  }

  @Test
  void everyFlippedBitIsRefusedOrSaysSomethingElse() {
    byte[] good = bytes(table(3));
    for (int bit = 0; bit < 8 * good.length; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      boolean inEntries = bit / 8 >= 8 && bit / 8 < 8 + 3 * 12;
      if (inEntries && (bad[11] | bad[15] | bad[23] | bad[27] | bad[35] | bad[39]) >= 0) {
        assertThat(bytes(SeekTable.decode(ByteBuffer.wrap(bad)))).isEqualTo(bad);
      } else {
        assertRefused(bad);
      }
    }
  }

  @Test
  void everyOtherLengthIsRefused() {
    byte[] good = bytes(table(3));
    for (int length = 0; length < good.length + 24; length++) {
      if (length != good.length) {
        assertRefused(Arrays.copyOf(good, length));
        assertRefused(Arrays.copyOfRange(good, Math.max(0, good.length - length), good.length + 1));
      }
    }
  }

  private static void assertRefused(byte[] bad) {
    assertThatThrownBy(() -> SeekTable.decode(ByteBuffer.wrap(bad))).as(HexFormat.of().formatHex(bad))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
  }
}
