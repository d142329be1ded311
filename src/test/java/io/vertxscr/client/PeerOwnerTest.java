package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: no application takes orders of another user's process. Method: processes as other users, which needs root. */
class PeerOwnerTest {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final int ALICE = 54_321;
  private static final int MALLORY = 54_322;

  @TempDir
  private Path directory;

  @BeforeEach
  void openToAll() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  /** May read the classes wherever they are, and nothing else that its user may not. */
  private static Process as(int user, String... arguments) throws IOException {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)
        && Files.isExecutable(SETPRIV), "not root, or no setpriv: no process can be another user's");
    List<String> line = Stream.concat(Stream.of(SETPRIV.toString(), "--reuid=" + user, "--regid=" + user,
        "--clear-groups", "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search",
        ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
        System.getProperty("java.class.path"), OtherUser.class.getName()), Stream.of(arguments)).toList();
    return new ProcessBuilder(line).redirectErrorStream(true).start();
  }

  private static String said(Process process) throws Exception {
    String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    process.waitFor();
    return all;
  }

  @Test
  void onlyAProcessOfTheSameUserOrOfRootIsCalled() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process listener = as(MALLORY, "listen", socket.toString());
    try {
      assertThat((char) listener.getInputStream().read()).as("ready").isEqualTo('r');
      assertThat(said(as(ALICE, "connect", socket.toString()))).isEqualTo("NOT_AUTHORIZED: the process that listens on "
          + socket + " belongs to another user");
      assertThat(said(as(MALLORY, "connect", socket.toString()))).isEqualTo("connected");
      SocketTransport.connect(socket).close();            // root may call anybody's
    } finally {
      listener.destroy();
    }
  }

  @Test
  void aSocketOfThisUserIsCalled() throws IOException {
    Path socket = directory.resolve("own.sock");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
        assertThat(PeerOwner.isOurs(channel)).isTrue();
      }
    }
  }

  /** A process of another user. */
  static final class OtherUser {
    private OtherUser() {}

    /** @param arguments listen or connect, and the socket */
    public static void main(String[] arguments) throws IOException {
      Path socket = Path.of(arguments[1]);
      if (arguments[0].equals("listen")) {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
          listener.bind(UnixDomainSocketAddress.of(socket));
          Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
          System.out.println("ready");
          while (true) {
            listener.accept();
          }
        }
      }
      try {
        SocketTransport.connect(socket).close();
        System.out.println("connected");
      } catch (ScrException e) {
        System.out.println(e.fault() + ": " + e.getMessage());
      }
    }
  }
}
