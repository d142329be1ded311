package io.vertxscr.cli.scr;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code scr_crc32}. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description = "Print the CRC32 of a file, in hexadecimal digits.")
final class ChecksumFront extends Front {
  @Parameters(paramLabel = "FILE", description = "The file.")
  private Path file;

  ChecksumFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() throws IOException {
    try (InputStream in = Files.newInputStream(file); var checked = new CheckedInputStream(in, new CRC32())) {
      checked.transferTo(OutputStream.nullOutputStream());
      out().println(Long.toHexString(checked.getChecksum().getValue()));
      return 0;
    }
  }
}
