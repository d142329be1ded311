package io.vertxscr.examples.heat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Rendezvous of the ranks of one run. Each publishes the address on which it listens as a small file,
 * {@code host port}, in a shared directory. A file appears whole or not at all, and never twice.
 */
final class Rendezvous {
  private static final int POLL_MS = 5;

  private final Path directory;

  Rendezvous(Path directory) {
    this.directory = directory;
  }

  void publish(int rank, InetSocketAddress address) throws IOException {
    Files.createDirectories(directory);
    Path draft = Files.createTempFile(directory, "draft", "");
    try {
      Files.writeString(draft, address.getAddress().getHostAddress() + " " + address.getPort());
      Files.createLink(file(rank), draft);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("rank " + rank + " was announced in " + directory + " before: give each run a"
          + " directory of its own, and each rank a number of its own", e);
    } finally {
      Files.delete(draft);
    }
  }

  /** Waits until the rank has published its address. */
  InetSocketAddress await(int rank, Deadline deadline) throws IOException {
    while (true) {
      try {
        return parse(file(rank));
      } catch (NoSuchFileException _) {
        if (deadline.passed()) {
          throw new NeighbourLostException("rank " + rank + " has not appeared in " + directory + " " + deadline);
        }
        deadline.sleep(POLL_MS);
      }
    }
  }

  private static InetSocketAddress parse(Path file) throws IOException {
    String[] words = Files.readString(file, StandardCharsets.UTF_8).split(" ");
    try {
      return new InetSocketAddress(words[0], Integer.parseInt(words[1]));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IOException(file + " holds no address", e);
    }
  }

  private Path file(int rank) {
    return directory.resolve("rank_" + rank);
  }
}
