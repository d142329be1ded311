package io.vertxscr.load;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Reference rates of the machine, measured between our runs. Each figure is the median of all its samples. */
final class Reference {
  private static final int SOCKET_BYTES = 512 * 1024;
  private static final long TCP_BYTES = 1L << 30;
  private static final long MEMORY_BYTES = 64L << 20;

  private final List<Double> cp = new ArrayList<>();
  private final List<Double> tcp = new ArrayList<>();
  private final List<Double> memory = new ArrayList<>();
  private final List<Double> read = new ArrayList<>();
  private final List<Double> overwrite = new ArrayList<>();

  /**
   * Takes one sample of each reference. These are cp of these files to a directory that is deleted again, loopback TCP,
   * memory copy, and the cost for a thread to read a file with its checksum, and to overwrite one.
   */
  void sample(List<Path> files, Path target) throws Exception {
    cp.add(copied(files, target, false));
    tcp.add(tcp());
    memory.add(memcpy());
    floor(files.getFirst(), Files.createDirectories(target).resolve("overwritten"));
    Daemons.delete(target);
  }

  /** Lower bound of the cost to read a file and write another one. */
  private void floor(Path file, Path written) throws IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    ByteBuffer piece = ByteBuffer.allocateDirect(SOCKET_BYTES);
    CRC32 crc = new CRC32();
    try (FileChannel in = FileChannel.open(file);
        FileChannel out = FileChannel.open(written, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long bytes = in.size();
      for (boolean counted : List.of(false, true)) {          // the first time makes the pages
        long begin = threads.getCurrentThreadCpuTime();
        in.position(0);
        while (in.read(piece.clear()) >= 0) {
          crc.update(piece.flip());
        }
        long between = threads.getCurrentThreadCpuTime();
        out.position(0);
        for (long done = 0; done < bytes; done += SOCKET_BYTES) {
          out.write(piece.clear());
        }
        long end = threads.getCurrentThreadCpuTime();
        if (counted && bytes > 0) {
          read.add((between - begin) / (double) bytes);
          overwrite.add((end - between) / (double) bytes);
        }
      }
    }
  }

  /** The rate of {@code cp}, where asked for with {@code sync} of the copies, in bytes a second. */
  static double copied(List<Path> files, Path target, boolean sync) throws Exception {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    Files.createDirectories(target);
    try {
      List<String> command = new ArrayList<>(List.of("sh", "-c", sync
          ? "t=$1; shift; cp -- \"$@\" \"$t\" && sync -- \"$t\"/* && sync -- \"$t\""
          : "t=$1; shift; cp -- \"$@\" \"$t\"", "sh", target.toString()));
      files.forEach(file -> command.add(file.toString()));
      long begin = System.nanoTime();
      int code = new ProcessBuilder(command).inheritIO().start().waitFor();
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (code != 0) {
        throw new LoadException("cp to " + target + " ended with " + code);
      }
      return bytes / seconds;
    } finally {
      Daemons.delete(target);
    }
  }

  /** One blocking connection over loopback, from memory to nowhere. */
  private static double tcp() throws IOException, InterruptedException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread sender = Thread.ofPlatform().daemon().name("reference-sender").start(() -> send(server));
      try (SocketChannel receiver = SocketChannel.open(server.getLocalAddress())) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(SOCKET_BYTES);
        long begin = System.nanoTime();
        long got = 0;
        for (int n = 0; n >= 0; n = receiver.read(buffer.clear())) {
          got += n;
        }
        sender.join();
        return got / ((System.nanoTime() - begin) / 1e9);
      }
    }
  }

  private static void send(ServerSocketChannel server) {
    try (SocketChannel sender = server.accept()) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(SOCKET_BYTES);
      for (long sent = 0; sent < TCP_BYTES; sent += SOCKET_BYTES) {
        buffer.clear();
        while (buffer.hasRemaining()) {
          sender.write(buffer);
        }
      }
    } catch (IOException e) {
      throw new LoadException("the TCP reference failed", e);
    }
  }

  private static double memcpy() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(MEMORY_BYTES).fill((byte) 1);
      MemorySegment to = arena.allocate(MEMORY_BYTES).fill((byte) 2);
      long begin = System.nanoTime();
      int times = 8;
      for (int i = 0; i < times; i++) {
        MemorySegment.copy(from, 0, to, 0, MEMORY_BYTES);
      }
      return times * MEMORY_BYTES / ((System.nanoTime() - begin) / 1e9);
    }
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("cpBytesPerSecond", Math.round(median(cp)));
    json.put("tcpBytesPerSecond", Math.round(median(tcp)));
    json.put("congestionControl", congestionControl());
    json.put("memcpyBytesPerSecond", Math.round(median(memory)));
    json.put("readCpuSecondsPerGB", Result.rounded(median(read)));
    json.put("overwriteCpuSecondsPerGB", Result.rounded(median(overwrite)));
    return json;
  }

  /** Of the kernel, which costs some more than the bytes do; empty where it does not tell. */
  private static String congestionControl() {
    try {
      return Files.readString(Path.of("/proc/sys/net/ipv4/tcp_congestion_control")).strip();
    } catch (IOException _) {
      return "";
    }
  }

  double cpBytesPerSecond() {
    return median(cp);
  }

  double tcpBytesPerSecond() {
    return median(tcp);
  }

  private static double median(List<Double> values) {
    return new Samples(values.stream().mapToDouble(d -> d).toArray()).median();
  }
}
