package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.RegularFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Appends to {@code <prefix>/.scr/log}, one write for each batch. A torn last line, which a crash may leave, is ended
 * first. Blocking.
 */
public final class LogFile {
  /** Of a longer log only so much of its end is read. */
  private static final long MAX_BYTES = 1L << 30;

  private final PrefixPaths paths;

  /** The log of a prefix directory. */
  public LogFile(PrefixPaths paths) {
    this.paths = paths;
  }

  /** Adds lines durably. @throws io.vertxscr.model.ScrException NO_SPACE, IO; some of the lines may be there then */
  public void append(List<LogLine> lines) {
    String text = lines.stream().map(line -> line.encode() + "\n")
        .collect(Collectors.joining("", endsInALine() ? "" : "\n", ""));
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    MetadataFiles.requireOwnDirectories(paths.log());
    if (!Files.isDirectory(paths.scr())) {
      PrefixDirectories.createDurably(paths.prefix(), paths.scr());
    }
    try (FileChannel channel = RegularFile.append(paths.log())) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    } catch (IOException e) {
      throw Faults.io(paths.log(), e);
    }
  }

  private boolean endsInALine() {
    try (FileChannel channel = RegularFile.read(paths.log())) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return channel.size() == 0 || channel.read(last, channel.size() - 1) < 1 || last.get(0) == '\n';
    } catch (IOException _) {
      return true;                                        // none there, or the write will tell what is wrong
    }
  }

  /** All lines that are lines; none where there is no log. @throws io.vertxscr.model.ScrException IO */
  public List<LogLine> read() {
    MetadataFiles.requireOwnDirectories(paths.log());
    try (FileChannel channel = RegularFile.read(paths.log());
        BufferedReader lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.ISO_8859_1))) {
      if (channel.size() > MAX_BYTES) {
        channel.position(channel.size() - MAX_BYTES);     // the first line of what is left is none, and passed over
      }
      return lines.lines().map(line -> new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
          .map(LogLine::decode).flatMap(Optional::stream).toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException | UncheckedIOException e) {
      throw Faults.io(paths.log(), e instanceof UncheckedIOException u ? u.getCause() : (IOException) e);
    }
  }
}
