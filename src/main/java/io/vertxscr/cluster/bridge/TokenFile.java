package io.vertxscr.cluster.bridge;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Token file for TCP connections, which proves that the client belongs to the daemon's owner. A Unix socket proves it
 * by itself. A file beside the socket (mode 0600) has port and token, new at each start:
 *
 * <pre>
 *   127.0.0.1:40123 5be1...   64 hexadecimal digits, line feed
 * </pre>
 *
 * Written under a draft name and renamed, so that who finds it reads it whole. Not synced: it says nothing after a
 * crash.
 */
final class TokenFile {
  private static final int TOKEN_BYTES = 32;

  private final Path path;
  private final String token;

  /** A new token, for the file beside this socket. */
  TokenFile(Path socket) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    path = socket.resolveSibling("scr.tcp");
    token = HexFormat.of().formatHex(random);
  }

  /** @throws ScrException {@link Fault#IO} */
  void publish(String host, int port) {
    Path draft = path.resolveSibling("scr.tcp~");
    try {
      Files.deleteIfExists(draft);
      try (FileChannel channel = OwnFile.create(draft)) {
        channel.write(ByteBuffer.wrap((host + ":" + port + " " + token + "\n").getBytes(StandardCharsets.US_ASCII)));
      }
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Whether this is the token; takes the same time for all that are not. */
  boolean matches(String shown) {
    return MessageDigest.isEqual(
        shown.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }

  private ScrException failure(IOException e) {
    return new ScrException(Fault.IO, "token file " + path + ": " + ScrException.reason(e), e);
  }
}
