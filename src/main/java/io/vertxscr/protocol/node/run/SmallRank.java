package io.vertxscr.protocol.node.run;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.FieldChecks;
import java.util.Base64;
import java.util.List;
import java.util.OptionalInt;
import java.util.zip.CRC32;

/**
 * A rank's small files with all their bytes, for a member of its redundancy set.
 *
 * @param files with their checksums; one without a name that stands for all, for members that do not describe them
 * @param bytes of all of them, one after the other, in base64
 */
public record SmallRank(int rank, List<FileMeta> files, String bytes) {
  private static final int MAX_CHARS = (Limits.MAX_SMALL_BYTES * 4 + 2) / 3;

  public SmallRank {
    FieldChecks.rank(rank);
    FieldChecks.size("files", files, Limits.MAX_SMALL_FILES);
    FieldChecks.range("bytes (characters)", bytes.length(), 0, MAX_CHARS);
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
