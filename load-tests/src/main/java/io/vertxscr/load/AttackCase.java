package io.vertxscr.load;

import io.vertx.core.json.JsonObject;
import io.vertxscr.client.Output;
import io.vertxscr.load.Doors.Door;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hostile frames, or idle connections, at one port after the other of a daemon, whose run makes one phase after the
 * other meanwhile. Fails where the run does not go on.
 */
final class AttackCase {
  static final String USAGE =
      "load-tests/run attack [--port cluster|bus|peer|http|bridge|socket] [--frames N | --connections N] [--seed N]"
          + " [--results FILE]";
  /** Frames of one seed, and of one line of the results. */
  private static final long SERIES_FRAMES = 50_000;
  private static final int WARM_UP_FRAMES = 2000;
  private static final int PHASES = 20;

  private final Map<String, String> options = new LinkedHashMap<>(Map.of("--frames", "1000000", "--seed", "1"));
  private final AtomicInteger phases = new AtomicInteger();

  AttackCase(String... arguments) {
    for (int i = 1; i < arguments.length; i += 2) {
      if (!List.of("--port", "--frames", "--connections", "--seed", "--results").contains(arguments[i])
          || i + 1 == arguments.length) {
        throw new LoadException(USAGE);
      }
      options.put(arguments[i], arguments[i + 1]);
    }
  }

  void run() throws Exception {
    Set<String> done = done();
    Daemons.Setup setup = new Daemons.Setup("XOR", false, 2, 2, Map.of("SCR_BRIDGE_TCP", "0"));
    try (Daemons daemons = new Daemons(setup).startAll()) {
      Path prefix = daemons.beside("prefix");
      AtomicBoolean last = new AtomicBoolean();
      try (Ranks ranks = Ranks.open(daemons, prefix)) {
        Thread run = Thread.ofPlatform().daemon().start(() -> phases(ranks, last));
        for (Door door : Door.values()) {
          String wanted = options.get("--port");
          if (wanted == null || wanted.equals(door.name().toLowerCase(Locale.ROOT))) {
            attack(daemons.all().getFirst().doors(), door, done);
          }
        }
        last.set(true);
        run.join();
      }
    }
  }

  /** One rank of two says when it is enough; both have begun the same phase. */
  private void phases(Ranks ranks, AtomicBoolean last) {
    try {
      while (!last.get()) {
        ranks.all(scr -> {
          Output output = scr.startCheckpoint("phase");
          output.complete(true);
        });
        phases.incrementAndGet();
      }
      ranks.all(scr -> scr.finish());
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  /** The series that an earlier call has written into the file of the results, and are not repeated. */
  private Set<String> done() throws IOException {
    Set<String> series = new HashSet<>();
    Path results = Path.of(options.getOrDefault("--results", ""));
    if (Files.isRegularFile(results)) {
      for (String line : Files.readAllLines(results)) {
        JsonObject json = new JsonObject(line);
        series.add(series(json.getString("port"), json.getLong("seed", 0L), json.getLong("frames", 0L)));
      }
    }
    return series;
  }

  private static String series(String port, long seed, long frames) {
    return port + " " + seed + " " + frames;
  }

  private void attack(Doors doors, Door door, Set<String> done) throws Exception {
    String port = door.name().toLowerCase(Locale.ROOT);
    long seed = Long.parseLong(options.get("--seed"));
    Fuzzer.send(doors, door, WARM_UP_FRAMES, seed - 1);
    if (options.containsKey("--connections")) {
      attack(doors, door, line -> idle(doors, door, Integer.parseInt(options.get("--connections")), line));
      return;
    }
    for (long left = Long.parseLong(options.get("--frames")); left > 0; left -= SERIES_FRAMES) {
      long mine = seed++;
      long frames = Math.min(left, SERIES_FRAMES);
      if (!done.contains(series(port, mine, frames))) {
        attack(doors, door, line -> send(doors, door, mine, frames, line));
      }
    }
  }

  private static void send(Doors doors, Door door, long seed, long frames, Map<String, Object> line)
      throws IOException {
    line.put("seed", seed);
    Fuzzer.Sent sent = Fuzzer.send(doors, door, frames, seed);
    line.put("frames", sent.frames());
    line.put("connections", sent.connections());
    line.put("cut", sent.cut());
  }

  /** One attack; says in a line what it was. */
  private interface Attack {
    void on(Map<String, Object> line) throws Exception;
  }

  private void attack(Doors doors, Door door, Attack attack) throws Exception {
    awaitPhases();
    Map<String, Object> line = new LinkedHashMap<>(Map.of("case", "attack"));
    line.put("port", door.name().toLowerCase(Locale.ROOT));
    int descriptors = doors.descriptors();
    line.put("descriptorsBefore", descriptors);
    line.put("liveHeapBytesBefore", doors.liveHeapBytes());
    int before = phases.get();
    long begin = System.nanoTime();
    attack.on(line);
    line.put("seconds", Result.rounded((System.nanoTime() - begin) / 1e9));
    line.put("phasesMeanwhile", phases.get() - before);
    awaitPhases();
    Daemons.await(() -> doors.descriptors() <= descriptors + 8, "descriptors are back to about " + descriptors);
    line.put("descriptorsAfter", doors.descriptors());
    line.put("liveHeapBytesAfter", doors.liveHeapBytes());
    line.put("alive", ProcessHandle.of(doors.pid()).isPresent());
    String json = new JsonObject(line).encode();
    System.out.println(json);
    if (options.containsKey("--results")) {
      Files.writeString(Path.of(options.get("--results")), json + "\n", StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  /** Half of them say nothing, the others stop within their first frame. */
  private void idle(Doors doors, Door door, int count, Map<String, Object> line) throws Exception {
    byte[] first = new HostileFrames(door, 1).real();
    List<SocketChannel> silent = Fuzzer.silent(doors, door, count / 2, new byte[0]);
    try {
      silent.addAll(Fuzzer.silent(doors, door, count - count / 2, Arrays.copyOf(first, first.length / 2)));
      awaitPhases();
      line.put("connections", silent.size());
      line.put("descriptorsMeanwhile", doors.descriptors());
    } finally {
      for (SocketChannel channel : silent) {
        close(channel);
      }
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException _) {
      // It was reset.
    }
  }

  /** The run goes on: many more phases come to their end. */
  private void awaitPhases() throws Exception {
    int wanted = phases.get() + PHASES;
    Daemons.await(() -> phases.get() >= wanted, PHASES + " more phases");
  }
}
