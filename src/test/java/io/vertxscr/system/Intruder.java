package io.vertxscr.system;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Process of another user of the host, who tries what it has been told. Its arguments are {@code connect},
 * {@code read}, {@code list}, {@code write}, {@code link}, {@code mkdir}, each followed by a path. Needs no class but
 * this one.
 */
final class Intruder {
  private Intruder() {}

  /** One line for each attempt: done, or the name of the exception. */
  public static void main(String[] attempts) {
    for (int i = 0; i < attempts.length; i += 2) {
      Path at = Path.of(attempts[i + 1]);
      try {
        attempt(attempts[i], at);
        System.out.println(attempts[i] + " " + at.getFileName() + ": done");
      } catch (IOException e) {
        System.out.println(attempts[i] + " " + at.getFileName() + ": "
            + (String.valueOf(e.getMessage()).contains("ermission denied") ? "AccessDeniedException"
                : e.getClass().getSimpleName()));
      }
    }
  }

  private static void attempt(String what, Path at) throws IOException {
    switch (what) {
      case "connect" -> SocketChannel.open(UnixDomainSocketAddress.of(at)).close();
      case "read" -> Files.readAllBytes(at);
      case "list" -> Files.list(at).close();
      case "write" -> Files.writeString(at, "x");
      case "link" -> Files.createSymbolicLink(at, at.resolveSibling("../decoy"));
      case "mkdir" -> Files.createDirectory(at);
      default -> throw new IllegalArgumentException(what);
    }
  }
}
