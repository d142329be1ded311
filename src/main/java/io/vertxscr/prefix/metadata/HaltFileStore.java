package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.HaltFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Store of {@code halt.scr}: read without a lock, written under the lock of the index. The file is replaced whole, and
 * absent while no condition is set. Blocking; safe for many threads.
 */
public final class HaltFileStore {
  private final PrefixPaths paths;
  private final PrefixLock lock;

  /** @param user who takes the lock of the index for a change */
  public HaltFileStore(PrefixPaths paths, LockUser user) {
    this.paths = paths;
    this.lock = new PrefixLock(paths, user);
  }

  /** Version of the file, taken without reading it; equal versions mean an unchanged file. */
  public record HaltFileVersion(Object fileKey, long modifiedNs, long bytes) {
    static final HaltFileVersion NO_FILE = new HaltFileVersion("", 0, 0);
  }

  public Path file() {
    return paths.haltFile();
  }

  /** The version of the file. @throws ScrException IO */
  public HaltFileVersion version() {
    try {
      BasicFileAttributes file = Files.readAttributes(paths.haltFile(), BasicFileAttributes.class);
      long modifiedNs = file.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS);
      return new HaltFileVersion(String.valueOf(file.fileKey()), modifiedNs, file.size());
    } catch (NoSuchFileException _) {
      return HaltFileVersion.NO_FILE;
    } catch (IOException e) {
      throw Faults.io(paths.haltFile(), e);
    }
  }

  /** The conditions; none where there is no file. @throws ScrException CORRUPT, IO */
  public Halt read() {
    return MetadataFiles.read(paths.haltFile(), HaltFile::decode).orElse(Halt.NONE);
  }

  /**
   * Changes them durably. A corrupt file is replaced: its content is lost.
   *
   * @return the new ones
   * @throws ScrException BUSY, NO_SPACE, IO
   */
  public Halt update(UnaryOperator<Halt> change) {
    return lock.with(() -> {
      Halt halt = change.apply(readable());
      if (halt.equals(Halt.NONE)) {
        MetadataFiles.delete(paths.scr(), List.of(paths.haltFile()));
      } else {
        AtomicFile.replace(paths.haltFile(), HaltFile.encode(halt));
      }
      return halt;
    });
  }

  private Halt readable() {
    try {
      return read();
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Halt.NONE;
    }
  }
}
