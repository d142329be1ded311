package io.vertxscr.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An ext4 file system in a file, mounted by the kernel. Its power can be cut: what was not synced is gone then, as far
 * as the kernel had not written it by itself. Needs root, {@code mkfs.ext4} and {@code python3} (for the ioctl).
 */
final class LoopDisk implements AutoCloseable {
  /** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: nothing is written any more, the journal neither. */
  private static final String SHUTDOWN = "import fcntl,os,struct,sys;"
      + "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

  private final Path image;
  private final Path mount;

  LoopDisk(Path image, Path mount, long bytes) throws IOException, InterruptedException {
    this.image = image;
    this.mount = Files.createDirectories(mount);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    Root.run("mkfs.ext4", "-q", image.toString());
    mount();
  }

  private void mount() throws IOException, InterruptedException {
    Root.run("mount", "-o", "loop", image.toString(), mount.toString());
  }

  /** No process may have a file of it open when the power comes back. */
  void losePower() throws IOException, InterruptedException {
    Root.run("python3", "-c", SHUTDOWN, mount.toString());
  }

  /** Mounts it again; the kernel replays its journal. */
  void powerIsBack() throws IOException, InterruptedException {
    Root.run("umount", mount.toString());
    mount();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    Root.run("umount", mount.toString());
  }
}
