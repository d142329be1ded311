package io.vertxscr.model;

/**
 * Compression of files with zstd in a flush ({@code COMPRESS=ZSTD} in configuration files).
 *
 * @param level 1 is fast, 19 small ({@code COMPRESS_LEVEL})
 */
public record Compression(int level) {
  public static final int MIN_LEVEL = 1;
  /** Levels above it need more memory than a daemon beside the application should take. */
  public static final int MAX_LEVEL = 19;
  /** Default level: zstd's own. */
  public static final Compression STANDARD = new Compression(3);

  public Compression {
    if (level < MIN_LEVEL || level > MAX_LEVEL) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          "compression level " + level + ": expected " + MIN_LEVEL + " to " + MAX_LEVEL);
    }
  }
}
