package io.vertxscr.model;

import java.util.Base64;
import java.util.List;
import java.util.OptionalInt;
import java.util.zip.CRC32;

/**
 * A rank's small files with all their bytes, for members of its redundancy set.
 *
 * @param files with their checksums; one without a name that stands for all, for members that do not describe them
 * @param bytes of all of them, one after the other, in base64; none where only their paths matter
 */
public record SmallRank(int rank, List<FileMeta> files, String bytes) {
  /** Most characters of the bytes. */
  public static final int MAX_CHARS = (Limits.MAX_SMALL_BYTES * 4 + 2) / 3;

  public SmallRank {
    files = List.copyOf(files);
  }

  /** What path conflicts are found by. */
  public static SmallRank onlyPaths(RankFiles files) {
    return new SmallRank(files.rank(), files.files().stream()
        .map(file -> new FileMeta(file.name(), file.path(), 0, OptionalInt.empty())).toList(), "");
  }

  /** Whether it is more than paths. */
  public boolean hasBytes() {
    return files.stream().allMatch(file -> file.crc().isPresent());
  }

  /** What a member needs that describes the files in its redundancy file. */
  public static SmallRank described(RankFiles files, byte[] bytes) {
    return new SmallRank(files.rank(), files.files(), encoded(bytes));
  }

  /** What any other member needs: their bytes. */
  public static SmallRank of(RankFiles files, byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return new SmallRank(files.rank(),
        List.of(new FileMeta("", "", bytes.length, OptionalInt.of((int) crc.getValue()))), encoded(bytes));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The files, as far as the receiver needs to know them. */
  public RankFiles rankFiles() {
    return new RankFiles(rank, files);
  }

  /**
   * Returns the bytes, which the receiver compares with the checksums.
   *
   * @throws ScrException BAD_REQUEST if they are no base64
   */
  public byte[] content() {
    try {
      return Base64.getDecoder().decode(bytes);
    } catch (IllegalArgumentException e) {
      throw new ScrException(Fault.BAD_REQUEST, "the small files of rank " + rank + " are no base64", e);
    }
  }
}
