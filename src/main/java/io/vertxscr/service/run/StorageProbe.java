package io.vertxscr.service.run;

import io.vertxscr.model.ScrException;
import io.vertxscr.service.Loop;
import io.vertxscr.storage.OwnFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether the storage of this node answers. A small file in its control directory is written, synced, read and deleted
 * from time to time, while others ask. An error is an answer ({@link #failure}); only a hang is not. On the node's
 * loop.
 */
public final class StorageProbe {
  private static final int BYTES = 8;
  private static final long PAUSE_MS = 4_000;
  private static final long TICK_MS = 1_000;

  private final Loop loop;
  private final Path file;
  private final String name;
  private boolean running;
  private boolean pauses;
  /** How long the probe has been running: time that the whole process stood still does not count. */
  private long silentMs;
  private Optional<String> failure = Optional.empty();

  /** Probes the control directory of a node. */
  public StorageProbe(Loop loop, String node, Path control) {
    this.loop = loop;
    this.file = control.resolve("node.probe");
    this.name = node + "-probe";
  }

  /** Returns for how many ms the storage has not answered, 0 if it does; begins the next probe. */
  public long silentMs() {
    if (!running && !pauses) {
      running = true;
      tick();
      loop.aside(name, this::probe).onComplete((_, error) -> {
        running = false;
        failure = Optional.ofNullable(error)
            .map(why -> why instanceof IOException io ? ScrException.reason(io) : why.toString());
        silentMs = 0;
        pauses = true;
        loop.after(PAUSE_MS, () -> pauses = false);
      });
    }
    return silentMs;
  }

  /** Why the last probe could not write, empty where it could. */
  public Optional<String> failure() {
    return failure;
  }

  private void tick() {
    loop.after(TICK_MS, () -> {
      if (running) {
        silentMs += TICK_MS;
        tick();
      }
    });
  }

  private Void probe() throws Exception {
    try (FileChannel channel = OwnFile.change(file)) {
      channel.write(ByteBuffer.allocate(BYTES), 0);
      channel.force(false);
      channel.read(ByteBuffer.allocate(BYTES), 0);
    } finally {
      Files.deleteIfExists(file);
    }
    return null;
  }
}
