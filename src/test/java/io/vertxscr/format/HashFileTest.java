package io.vertxscr.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.NodesFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * Goal: a hash file is decoded as encoded, or refused with a reason; no input has another result. Method: the published
 * golden bytes, every bit flip and truncation, random trees, one hand-made file for each defect. Replay with
 * {@code -Dseed=N}.
 */
class HashFileTest {
  private static final String NODES_4 = "951fc3f5" + "0001" + "0001" + "000000000000002c" + "00000001"
      + "00000001" + "4e4f444553" + "00" + "00000001" + "34" + "00" + "00000000" + "cb4f2fc1";
  private static final byte[] GOLDEN = HexFormat.of().parseHex(NODES_4);

  @Test
  void goldenBytesAreWritten() {
    assertThat(HexFormat.of().formatHex(NodesFile.encode(4))).isEqualTo(NODES_4);
  }

  @Test
  void goldenBytesAreRead() {
    assertThat(NodesFile.decode(GOLDEN)).isEqualTo(4);
    assertThat(HashFile.dump(GOLDEN)).isEqualTo("NODES\n  4\n");
    assertThat(HashFile.sizeOf(Arrays.copyOf(GOLDEN, HashFile.HEADER_BYTES))).isEqualTo(44);
  }

  @Test
  void fileWithoutCrcIsRead() {
    assertThat(NodesFile.decode(withoutCrc())).isEqualTo(4);
  }

  @Test
  void unknownFlagsAreIgnored() {
    byte[] file = withoutCrc();
    file[16] = (byte) 0x80;
    assertThat(NodesFile.decode(file)).isEqualTo(4);
  }

  @Test
  void everyBitFlipOfFileWithoutCrcIsReadOrRefused() {
    int refused = 0;
    for (int bit = 0; bit < withoutCrc().length * 8; bit++) {
      byte[] file = withoutCrc();
      file[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertThat(HashFile.decode(file, "test").children()).hasSize(1);
      } catch (ScrException e) {
        assertThat(e.fault()).isEqualTo(Fault.CORRUPT);
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(128 + 3 * 32);   // all of the header but flags, and all of the counts
  }

  @Test
  void randomTreesComeBackInTheirOrder() {
    long seed = Long.getLong("seed", 20261121L);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      Hash tree = randomTree(random, random.nextInt(6));
      byte[] file = HashFile.encode(tree);
      Hash back = HashFile.decode(file, "test");
      assertThat(back).isEqualTo(tree);
      assertThat(back.toString()).isEqualTo(tree.toString());   // equality ignores the order, the text does not
      assertThat(HashFile.encodedBytes(tree)).isEqualTo(file.length);
    }
  }

  @Test
  void anExcerptHasWhatIsWantedAndOnlyTheKeysOfTheRest() {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      Hash other = randomTree(random, 3);
      Hash section = randomTree(random, 4);
      byte[] file = HashFile.encode(new Hash().put("OTHER", other).put("SECTION", section));
      Hash expected = new Hash();
      section.children().forEach((key, below) -> expected.put(key, key.hashCode() % 2 == 0 ? below : new Hash()));
      Hash found = HashFile.decode(file, "test", new Excerpt("SECTION", key -> key.hashCode() % 2 == 0));
      assertThat(found.children().get("OTHER")).isEqualTo(other);
      assertThat(found.children().get("SECTION")).isEqualTo(expected);
    }
  }

  @Test
  void anExcerptIsRefusedWhereWhatItLeavesOutIsNoHash() {
    String section = "00000001" + "5300" + "00000001" + "4100";   // S -> A -> what follows
    for (String bad : new String[] {"7fffffff", "00000001" + "414243444546", "00000000" + "00", "0000"}) {
      assertThatThrownBy(() -> HashFile.decode(file(section + bad), "test", new Excerpt("S", _ -> false)))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
    }
    Excerpt nothing = new Excerpt("S", _ -> false);
    byte[] twice = file("00000001" + "5300" + "00000002" + "4100" + "00000000" + "4100" + "00000000");
    assertThatThrownBy(() -> HashFile.decode(twice, "test", nothing)).hasMessageContaining("twice");
    byte[] deep = file("00000001" + "5300" + ("00000001" + "4100").repeat(1_000_000) + "00000000");
    assertThatThrownBy(() -> HashFile.decode(deep, "test", nothing)).hasMessageContaining("deeper");
  }

  @Test
  void everyStartOfRandomTreeIsRefused() {
    byte[] file = HashFile.encode(randomTree(new Random(1), 3));
    for (int length = 0; length < file.length; length++) {
      byte[] start = Arrays.copyOf(file, length);
      assertCorrupt(start, length < HashFile.HEADER_BYTES ? "byte " + length + ": ends here" : "file size says");
    }
  }

  @Test
  void eachFieldOfHeaderIsChecked() {
    assertCorrupt(patched(0, 0x951fc3f4), "byte 0: magic is 0x951fc3f4, expected 0x951fc3f5");
    assertCorrupt(patched(4, 0x00020001), "byte 4: file type is 0x2");
    assertCorrupt(patched(4, 0x00010002), "byte 6: file version is 0x2");
    assertCorrupt(patched(8, 0x80000000), "byte 8: file size 9223372036854775852 is not between");
    assertCorrupt(patched(8, 1), "is not between 28 and " + Limits.MAX_HASH_FILE_BYTES);
    assertCorrupt(patched(12, 27), "file size 27");
    assertCorrupt(patched(12, 45), "file size says 45 bytes, there are 44");
    assertCorrupt(patched(40, 0xcb4f2fc0), "byte 40: CRC 0xcb4f2fc0, but the bytes have 0xcb4f2fc1");
    assertCorrupt(Arrays.copyOf(GOLDEN, 45), "file size says 44 bytes, there are 45");
  }

  @Test
  void countPastTheEndIsRefusedBeforeAnythingIsAllocated() {
    assertCorrupt(file("7fffffff"), "byte 20: count 2147483647 runs past the end");
    assertCorrupt(file("ffffffff" + "00".repeat(100)), "count 4294967295 runs past the end");
    assertCorrupt(file("00000001" + "4100" + "00000002" + "4200" + "00000000"), "byte 26: count 2");
    assertCorrupt(file("00000001" + "414243444546"), "byte 24: key without its NUL");
    assertCorrupt(file("00000002" + "4100" + "00000000" + "42004300"), "ends inside a count");
  }

  @Test
  void malformedKeysAreRefused() {
    assertCorrupt(file("00000001" + "ff00" + "00000000"), "byte 24: key is not UTF-8");
    assertCorrupt(file("00000002" + "4100" + "00000000" + "4100" + "00000000"), "byte 30: key 'A' stands twice");
  }

  @Test
  void bytesBehindTheHashAreRefused() {
    assertCorrupt(file("00000000" + "00"), "byte 24: 1 bytes behind the hash");
  }

  @Test
  void nestingIsAllowedToTheLimitAndNoFurther() {
    String deepest = "00000001" + "4100";
    Hash tree = HashFile.decode(file(deepest.repeat(Limits.MAX_HASH_DEPTH) + "00000000"), "test");
    assertThat(HashFile.decode(HashFile.encode(tree), "test")).isEqualTo(tree);
    assertCorrupt(file(deepest.repeat(Limits.MAX_HASH_DEPTH + 1) + "00000000"), "nested deeper than 64");
    assertCorrupt(file(deepest.repeat(1_000_000) + "00000000"), "nested deeper than 64");
    Hash deeper = new Hash().put("A", tree);
    assertThatThrownBy(() -> HashFile.encode(deeper)).isInstanceOf(ScrException.class).hasMessageContaining("nested");
  }

  @Test
  void keyThatNoFileCanHoldIsNotWritten() {
    for (String key : new String[] {"a\0b", "\ud800"}) {
      assertThatThrownBy(() -> HashFile.encode(new Hash().set(key, 1)))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_REQUEST));
    }
  }

  @Test
  void sameKeyCannotBePutTwice() {
    Hash hash = new Hash().set("A", 1);
    assertThatThrownBy(() -> hash.set("A", 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void dumpShowsControlCharactersHarmlessly() {
    byte[] file = HashFile.encode(new Hash().set("a\u001b[2J\n", "\u00e9"));
    assertThat(HashFile.dump(file)).isEqualTo("a\\u001b[2J\\u000a\n  \u00e9\n");
  }

  private static void assertCorrupt(byte[] file, String reason) {
    assertThatThrownBy(() -> HashFile.decode(file, "test"))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT))
        .hasMessageStartingWith("test: ").hasMessageContaining(reason);
  }

  private static byte[] patched(int at, int value) {
    byte[] file = GOLDEN.clone();
    ByteBuffer.wrap(file).putInt(at, value);
    return file;
  }

  private static byte[] withoutCrc() {
    byte[] file = Arrays.copyOf(GOLDEN, GOLDEN.length - 4);
    ByteBuffer.wrap(file).putLong(8, file.length).putInt(16, 0);
    return file;
  }

  /** A file around these packed bytes with a right size and CRC. */
  private static byte[] file(String packed) {
    byte[] data = HexFormat.of().parseHex(packed);
    ByteBuffer out = ByteBuffer.allocate(HashFile.HEADER_BYTES + data.length + 4);
    out.putInt(0x951fc3f5).putShort((short) 1).putShort((short) 1).putLong(out.capacity()).putInt(1).put(data);
    CRC32 crc = new CRC32();
    crc.update(out.array(), 0, out.position());
    return out.putInt((int) crc.getValue()).array();
  }

  private static Hash randomTree(Random random, int depth) {
    Hash hash = new Hash();
    int width = depth == 0 ? 0 : 1 + random.nextInt(5);
    for (int i = 0; i < width; i++) {
      String key = random.ints(random.nextInt(8), 1, 0x800).mapToObj(Character::toString)
          .reduce("", String::concat) + i;
      hash.put(key, randomTree(random, random.nextInt(depth)));
    }
    return random.nextInt(10) == 0 && depth > 0 ? hash.put("", new Hash()) : hash;
  }
}
