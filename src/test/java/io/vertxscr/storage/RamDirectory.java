package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Temporary directories in memory, on the disk where memory has no room. */
public final class RamDirectory implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final long NEEDED_BYTES = 2L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
    return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > NEEDED_BYTES
        ? Files.createTempDirectory(MEMORY, "scr-test") : Files.createTempDirectory("scr-test");
  }
}
