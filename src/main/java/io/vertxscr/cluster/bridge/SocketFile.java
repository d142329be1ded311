package io.vertxscr.cluster.bridge;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Addresses;
import io.vertxscr.storage.PrivateDirectory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The name of a Unix socket in the file system. Blocking.
 *
 * <p>The socket is bound under a draft name, in a directory that is closed to other users, and then renamed to its own
 * name: nobody can connect between bind and the change of its mode, and the socket file of a dead daemon is replaced in
 * one step.
 */
record SocketFile(Path path) {
  SocketFile {
    Addresses.socket(path);
  }

  /** Returns the path to bind. As long as the path itself, which is known to be short enough. */
  Path draft() {
    String name = path.getFileName().toString();
    return path.resolveSibling(name.substring(0, name.length() - 1) + "~");
  }

  /**
   * Checks that the name is free, or left by a dead daemon.
   *
   * @throws ScrException {@link Fault#DUPLICATE_NODE} if another daemon listens there, {@link Fault#BAD_CONFIGURATION}
   *     if it is not a socket or other users can reach its directory, {@link Fault#IO}
   */
  void claim() {
    PrivateDirectory.make(path.toAbsolutePath().normalize().getParent(), 1);
    try {
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        refuseUnlessDead();
      }
      Files.deleteIfExists(draft());
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Sets the mode of the bound draft (0600) and renames it. */
  void publish() {
    try {
      Files.setPosixFilePermissions(draft(), PosixFilePermissions.fromString("rw-------"));
      Files.move(draft(), path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Removes the socket's name. */
  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void refuseUnlessDead() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isOther()) {
      throw new ScrException(Fault.BAD_CONFIGURATION,
          path + " exists and is not a socket; remove it or choose another");
    }
    try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      throw new ScrException(Fault.DUPLICATE_NODE, "another daemon listens on " + path);
    } catch (ConnectException _) {
      // No listener: its daemon is dead, and publish() replaces it.
    }
  }

  private ScrException failure(IOException e) {
    return new ScrException(Fault.IO, "socket file " + path + ": " + ScrException.reason(e), e);
  }
}
