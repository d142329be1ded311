package io.vertxscr.format;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Header of a redundancy file ({@code 3_of_4_in_0.xor}, {@code .rs}, {@code .partner}).
 * <pre>
 *   +------------------------------------+---------------------------------------+
 *   |  hash file, with its own CRC       |  redundancy bytes, from here to the   |
 *   |  (its size is in its bytes 8..15)  |  end of the file                      |
 *   +------------------------------------+---------------------------------------+
 *
 *   DSET/descriptor
 *   RANKS -> 4                 of the run
 *   GROUP/...                  see GroupHash
 *   CHUNK -> 174766            bytes of one segment; PARTNER: of the copied logical files
 *   CURRENT -> RANK -> 2       the writer's files
 *              FILES -> 1
 *              FILE -> 0 -> ...         see FileMetaHash; the number is the place in the logical file
 *   PARTNER -> RANK -> 1       those of its left neighbour
 *              ...
 *              2 -> RANK -> 0           those of the member 2 places to the left, where so many failures are tolerated
 *                   ...
 * </pre>
 * The length does not depend on the checksums, only on whether they are known: space for the header can be kept in
 * front of the redundancy bytes before the data was read.
 */
public final class RedundancyHeaderFile {
  private static final String KIND = "redundancy header";

  private RedundancyHeaderFile() {}

  /** The header alone. */
  public static byte[] encode(RedundancyHeader header) {
    return pack(header, new Packer()).file();
  }

  /** Returns the length of {@link #encode} with all checksums known. */
  public static int encodedBytes(RedundancyHeader header) {
    List<RankFiles> partners = header.partners().stream().map(RedundancyHeaderFile::checked).toList();
    return pack(new RedundancyHeader(header.descriptor(), header.worldRanks(), header.set(),
        header.chunkBytes(), checked(header.current()), partners), Packer.counting()).fileBytes();
  }

  /**
   * Bytes of the header, which is where the redundancy bytes start.
   *
   * @param first20 the first {@link HashFile#HEADER_BYTES} bytes of the file; more are not looked at
   * @return at most {@link io.vertxscr.model.Limits#MAX_HASH_FILE_BYTES}; not checked against the file's real length
   * @throws io.vertxscr.model.ScrException CORRUPT
   */
  public static long sizeOf(byte[] first20) {
    return HashFile.sizeOf(first20, KIND);
  }

  /**
   * Reads a header, and moves the buffer's position behind it, to the first redundancy byte.
   *
   * @param file from the position on: the header, and as much of what follows as the caller likes
   * @throws io.vertxscr.model.ScrException CORRUPT, with the position where it was
   */
  public static RedundancyHeader decode(ByteBuffer file) {
    byte[] start = new byte[Math.min(HashFile.HEADER_BYTES, file.remaining())];
    file.get(file.position(), start);
    long size = sizeOf(start);
    if (size > file.remaining()) {
      throw HashFile.corrupt(KIND, "byte 8: size says " + size + " bytes, there are " + file.remaining());
    }
    byte[] header = new byte[(int) size];
    file.get(file.position(), header);
    RedundancyHeader decoded = Fields.read(header, KIND, RedundancyHeaderFile::header);
    file.position(file.position() + header.length);
    return decoded;
  }

  /** Decodes the header from an array that starts with it. */
  public static RedundancyHeader decode(byte[] file) {
    return decode(ByteBuffer.wrap(file));
  }

  private static RankFiles checked(RankFiles files) {
    return new RankFiles(files.rank(), files.files().stream().map(file -> file.withCrc(0)).toList());
  }

  private static Packer pack(RedundancyHeader header, Packer to) {
    to.put("DSET", DescriptorHash.encode(header.descriptor(), true))
        .set("RANKS", header.worldRanks())
        .put("GROUP", GroupHash.encode(header.set()))
        .set("CHUNK", header.chunkBytes());
    pack("CURRENT", header.current(), header.worldRanks(), to).close();
    if (!header.partners().isEmpty()) {
      pack("PARTNER", header.partners().getFirst(), header.worldRanks(), to);
      for (int i = 1; i < header.partners().size(); i++) {
        pack(Integer.toString(i + 1), header.partners().get(i), header.worldRanks(), to).close();
      }
      to.close();
    }
    return to;
  }

  /** Leaves what stands below the key open. */
  private static Packer pack(String key, RankFiles files, int worldRanks, Packer to) {
    to.open(key).set("RANK", files.rank()).set("FILES", files.files().size()).open("FILE");
    for (int i = 0; i < files.files().size(); i++) {
      FileMetaHash.pack(files.files().get(i), worldRanks, to.open(Integer.toString(i)));
      to.close();
    }
    return to.close();
  }

  private static RedundancyHeader header(Fields fields) {
    DatasetDescriptor descriptor = DescriptorHash.decode(fields.child("DSET"));
    RedundancySet set = GroupHash.decode(fields.child("GROUP"));
    RankFiles current = rankFiles(fields.child("CURRENT"));
    set.memberOf(current.rank());   // refuses a writer from outside the set
    List<RankFiles> partners = new ArrayList<>();
    Optional<Fields> partner = fields.find("PARTNER");
    for (int distance = 1; partner.isPresent(); distance++) {
      partner.get().expect("RANK", set.left(current.rank(), distance));
      partners.add(rankFiles(partner.get()));
      partner = fields.child("PARTNER").find(Integer.toString(distance + 1));
    }
    int worldRanks = fields.integer("RANKS", set.ranks().getLast() + 1);
    return new RedundancyHeader(descriptor, worldRanks, set, fields.number("CHUNK", 0), current, partners);
  }

  private static RankFiles rankFiles(Fields fields) {
    List<FileMeta> files = fields.listed("FILE").stream().map(FileMetaHash::decode).toList();
    fields.expect("FILES", files.size());
    return new RankFiles(fields.integer("RANK", 0), files);
  }
}
