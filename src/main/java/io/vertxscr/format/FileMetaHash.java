package io.vertxscr.format;

import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta.Unread;
import io.vertxscr.model.FileMeta;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;

/**
 * Metadata of one application file (META), inside filemaps and redundancy headers.
 * <pre>
 *   FILE -> rank.2/1/a.ckpt       where it is, relative to the dataset's directory in the cache
 *   NAME -> a.ckpt                last component of that
 *   PATH -> run7/out              directory where it belongs, relative to the prefix; missing for the prefix itself
 *   ORIG -> a.ckpt                ... and the name in it
 *   SIZE -> 524296
 *   CRC -> 0x738bb68f             always 8 digits, so that a file's length does not depend on it; missing while unknown
 *   MODE -> 33188                 as stat(2) has it: of a regular file; missing, with the next two, if unknown
 *   MTIME_SECS -> 1312850690      when its bytes changed last
 *   MTIME_NSECS -> 668536000
 *   BOOT -> 3f1c.../39831         only where CRC is not known because nobody has read the file: id of the boot of the
 *   DEVICE -> 26, INODE -> 4711   machine and, where it has one, of the mount; and its inode
 *   CTIME_SECS -> 1312850690      when that changed last
 *   CTIME_NSECS -> 668536000
 *   SHARED -> 1                   another rank has written the same file, and counts it; missing for all others
 *   TYPE -> FULL
 *   RANKS -> 4                    of the run that wrote it
 *   COMPLETE -> 1
 * </pre>
 * TYPE, RANKS and NAME are for other tools, and are not read here.
 */
public final class FileMetaHash {
  private static final int REGULAR_FILE = 0100000;

  private FileMetaHash() {}

  public static Hash encode(FileMeta file, int worldRanks) {
    Hash hash = new Hash();
    describe(file, worldRanks, hash::set);
    return hash;
  }

  /** Packs the metadata directly, for files with thousands of them. */
  static void pack(FileMeta file, int worldRanks, Packer to) {
    describe(file, worldRanks, to::set);
  }

  private static void describe(FileMeta file, int worldRanks, BiConsumer<String, Object> to) {
    int slash = file.path().lastIndexOf('/');
    to.accept("FILE", file.name());
    to.accept("NAME", file.name().substring(file.name().lastIndexOf('/') + 1));
    if (slash >= 0) {
      to.accept("PATH", file.path().substring(0, slash));
    }
    to.accept("ORIG", file.path().substring(slash + 1));
    to.accept("SIZE", file.bytes());
    file.crc().ifPresent(crc -> to.accept("CRC", Fields.crc(crc)));
    file.stamp().ifPresent(stamp -> describe(stamp, to));
    file.unread().ifPresent(unread -> describe(unread, to));
    if (file.shared()) {
      to.accept("SHARED", 1);
    }
    to.accept("TYPE", "FULL");
    to.accept("RANKS", worldRanks);
    to.accept("COMPLETE", 1);
  }

  private static void describe(Stamp stamp, BiConsumer<String, Object> to) {
    to.accept("MODE", REGULAR_FILE | stamp.mode());
    to.accept("MTIME_SECS", stamp.modifiedSeconds());
    to.accept("MTIME_NSECS", stamp.modifiedNanos());
  }

  private static void describe(Unread unread, BiConsumer<String, Object> to) {
    to.accept("BOOT", unread.mount());
    to.accept("DEVICE", unread.device());
    to.accept("INODE", unread.inode());
    to.accept("CTIME_SECS", unread.changedSeconds());
    to.accept("CTIME_NSECS", unread.changedNanos());
  }

  public static FileMeta decode(Fields fields) {
    fields.expect("COMPLETE", 1);
    String orig = fields.text("ORIG");
    String path = fields.findText("PATH").map(directory -> directory + "/" + orig).orElse(orig);
    OptionalInt crc = fields.findCrc("CRC");
    Optional<Unread> unread = unread(fields);
    if (crc.isPresent() && unread.isPresent()) {
      throw fields.corrupt("BOOT", "stands beside a checksum");
    }
    return new FileMeta(
        fields.text("FILE"), path, fields.number("SIZE", 0), crc, stamp(fields), shared(fields), unread);
  }

  private static Optional<Unread> unread(Fields fields) {
    return fields.findText("BOOT").map(mount -> new Unread(mount, fields.number("DEVICE", Long.MIN_VALUE),
        fields.number("INODE", Long.MIN_VALUE), fields.number("CTIME_SECS", Long.MIN_VALUE),
        nanos(fields, "CTIME_NSECS")));
  }

  private static int nanos(Fields fields, String key) {
    int nanos = fields.integer(key, 0);
    if (nanos > Stamp.MAX_NANOS) {
      throw fields.corrupt(key, nanos + " is a second or more");
    }
    return nanos;
  }

  /** Adds mode and time to a file's metadata. */
  public static void put(Stamp stamp, Hash hash) {
    describe(stamp, hash::set);
  }

  /** Whether another rank counts the file. */
  public static boolean shared(Fields fields) {
    return fields.findText("SHARED").isPresent() && fields.flag("SHARED");
  }

  /** Mode and time of a file, where its writer has left them. Bits of the mode that we do not keep are ignored. */
  public static Optional<Stamp> stamp(Fields fields) {
    OptionalInt mode = fields.findInteger("MODE", 0);
    if (mode.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new Stamp(mode.getAsInt() & Stamp.MODE_BITS,
        fields.number("MTIME_SECS", Long.MIN_VALUE), nanos(fields, "MTIME_NSECS")));
  }
}
