package io.vertxscr.examples.heat;

import io.vertxscr.examples.heat.HeatProblem.Rows;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The final field in an output directory: files {@code rows_<first>_<count>.f64} of raw doubles. Each has these rows of
 * the field, big-endian, row by row. However many files there are, their bytes in the order of rows are the same field.
 */
public final class FinalField {
  private static final Pattern NAME = Pattern.compile("rows_(\\d{1,9})_(\\d{1,9})\\.f64");
  private static final int PIECE_BYTES = 512 * 1024;

  private final int size;
  private final List<Path> files;

  private FinalField(int size, List<Path> files) {
    this.size = size;
    this.files = List.copyOf(files);
  }

  /**
   * The field of this size in the directory.
   *
   * @throws IOException where rows are missing, present twice, or a file has not the length that its name demands
   */
  public static FinalField open(Path directory, int size) throws IOException {
    List<Part> parts;
    try (Stream<Path> entries = Files.list(directory)) {
      parts = entries.flatMap(Part::of).sorted(Comparator.comparingInt(part -> part.rows().first())).toList();
    }
    int next = 0;
    List<Path> files = new ArrayList<>();
    for (Part part : parts) {
      if (part.rows().first() != next) {
        throw new IOException(part.file() + " does not begin at row " + next + ", where the files before it end");
      }
      long bytes = (long) part.rows().count() * size * Double.BYTES;
      if (Files.size(part.file()) != bytes) {
        throw new IOException(part.file() + " is " + Files.size(part.file()) + " bytes long instead of " + bytes);
      }
      files.add(part.file());
      next = part.rows().end();
    }
    if (next != size) {
      throw new IOException("the field in " + directory + " ends at row " + next + " of " + size);
    }
    return new FinalField(size, files);
  }

  /** Rows and columns. */
  public int size() {
    return size;
  }

  /** All bytes of the field. */
  public InputStream bytes() throws IOException {
    List<InputStream> streams = new ArrayList<>();
    for (Path file : files) {
      streams.add(new BufferedInputStream(Files.newInputStream(file), PIECE_BYTES));
    }
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  /** SHA-256 of all bytes, hexadecimal. */
  public String digest() throws IOException {
    try (InputStream in = bytes()) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] piece = new byte[PIECE_BYTES];
      for (int n = in.read(piece); n > 0; n = in.read(piece)) {
        digest.update(piece, 0, n);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Writes a block's rows; they appear whole and synced, or not at all. Returns the number of bytes. */
  static long writeBlock(Path directory, Block block) throws IOException {
    Files.createDirectories(directory);
    String name = "rows_" + block.rows().first() + "_" + block.rows().count() + ".f64";
    Path draft = directory.resolve(name + ".draft");
    ByteBuffer piece = ByteBuffer.allocateDirect(block.size() * Double.BYTES);
    try (FileChannel out = FileChannel.open(draft, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING)) {
      for (int row = block.rows().first(); row < block.rows().end(); row++) {
        piece.clear().asDoubleBuffer().put(block.row(row));
        while (piece.hasRemaining()) {
          out.write(piece);
        }
      }
      out.force(true);
    }
    Files.move(draft, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel names = FileChannel.open(directory)) {
      names.force(true);
    }
    return (long) block.rows().count() * block.size() * Double.BYTES;
  }

  /** One file of the field. */
  private record Part(Path file, Rows rows) {
    static Stream<Part> of(Path file) {
      Matcher matcher = NAME.matcher(file.getFileName().toString());
      if (!matcher.matches()) {
        return Stream.empty();
      }
      Rows rows = new Rows(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
      return Stream.of(new Part(file, rows));
    }
  }
}
