package io.vertxscr.cli.offline;

import io.vertxscr.format.HashFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.scavenge.DirectoryHash;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A metadata file of any kind, read whole. Of a redundancy file only its header is read; of a directory its content.
 *
 * @param hash the bytes of the hash file
 * @param payloadBytes redundancy bytes behind it; empty for all other files
 */
record HashFileOnDisk(Path path, byte[] hash, OptionalLong payloadBytes) {
  /** Keys that only the header of a redundancy file has at its top. */
  private static final Set<String> OF_REDUNDANCY = Set.of("GROUP", "CHUNK", "CURRENT");

  /** Names of our metadata files: such a file is one, even with damaged content. Containers have other bytes. */
  private static final Pattern NAME = Pattern.compile("(?!ctr\\.).*\\.scr|.*\\.scrfilemap|rank2file.*");

  /**
   * Returns the path and, for a directory, its metadata files, sorted. By their first bytes, or by name.
   *
   * @throws ScrException IO
   */
  static List<Path> withThoseIn(Path path) {
    List<Path> all = new ArrayList<>(List.of(path));
    if (Files.isDirectory(path)) {
      MetadataFiles.list(path, "*").stream().filter(HashFileOnDisk::isOne).forEach(all::add);
    }
    return all;
  }

  private static boolean isOne(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    if (NAME.matcher(file.getFileName().toString()).matches()) {
      return true;
    }
    try (FileChannel channel = RegularFile.read(file)) {
      return HashFile.hasMagic(read(channel, HashFile.HEADER_BYTES));
    } catch (IOException _) {
      return false;                                       // it is in the list of the directory
    }
  }

  /** @throws ScrException CORRUPT with the path and the byte, IO */
  static HashFileOnDisk read(Path path) {
    if (Files.isDirectory(path)) {
      return new HashFileOnDisk(path, DirectoryHash.encode(path), OptionalLong.empty());
    }
    try (FileChannel channel = RegularFile.read(named(path))) {
      long bytes = channel.size();
      byte[] start = read(channel, (int) Math.min(bytes, HashFile.HEADER_BYTES));
      long hashBytes = HashFile.sizeOf(start);
      if (hashBytes > bytes) {
        throw corrupt("byte " + bytes + ": ends here, its header says " + hashBytes + " bytes");
      }
      byte[] hash = read(channel, (int) hashBytes);
      Map<String, Object> tree = HashFile.tree(hash);
      if (hashBytes == bytes && !tree.keySet().containsAll(OF_REDUNDANCY)) {
        return new HashFileOnDisk(path, hash, OptionalLong.empty());
      }
      checkRedundancy(tree, hashBytes, bytes);
      return new HashFileOnDisk(path, hash, OptionalLong.of(bytes - hashBytes));
    } catch (IOException e) {
      throw Faults.io(path, e);
    } catch (ScrException e) {
      throw new ScrException(e.fault(), path + ": " + e.getMessage(), e);
    }
  }

  /** What the user has named may be a link. */
  private static Path named(Path path) throws IOException {
    return path.toRealPath();
  }

  private static void checkRedundancy(Map<String, Object> tree, long hashBytes, long bytes) {
    if (!tree.keySet().containsAll(OF_REDUNDANCY)) {
      throw corrupt("byte " + hashBytes + ": " + (bytes - hashBytes) + " bytes behind the end of the hash file");
    }
    String chunk = String.join(",", ((Map<?, ?>) tree.get("CHUNK")).keySet().stream().map(String::valueOf).toList());
    if (chunk.matches("[0-9]{1,18}") && bytes - hashBytes < Long.parseLong(chunk)) {
      throw corrupt("byte " + bytes + ": ends here, with " + (bytes - hashBytes) + " of at least " + chunk
          + " redundancy bytes");
    }
  }

  private static byte[] read(FileChannel channel, int bytes) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    while (into.hasRemaining() && channel.read(into, into.position()) >= 0) {
      // Continues the partial read.
    }
    return Arrays.copyOf(into.array(), into.position());
  }

  private static ScrException corrupt(String what) {
    return new ScrException(Fault.CORRUPT, "hash file: " + what);
  }
}
