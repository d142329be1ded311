package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** A simulated machine without daemons. Its files have the times of a clock that stands still until it is told. */
public final class SimulatedMachine {
  /** Not of whole milliseconds, as times of coarse file systems are. */
  private static final Instant BEGINNING = Instant.parse("2026-01-02T03:04:05.123456789Z");
  private static final String BOOT = "/proc/sys/kernel/random/boot_id";

  private Instant now = BEGINNING;
  private String kind;
  private int opened;
  private final SimulatedFileSystem files =
      new SimulatedFileSystem("n1", new SimulatedDisk(this::nowNs), new SimulatedDisk(this::nowNs), new Counting());

  private final class Counting implements SimulatedFileSystem.Interference {
    @Override
    public void before(Operation operation, boolean onShared, Path path) {
      opened += operation == Operation.OPEN ? 1 : 0;
    }

    @Override
    public String kind() {
      return kind;
    }
  }

  /** With file systems of this kind, and a directory {@code /local}. */
  public SimulatedMachine(String kind) throws IOException {
    this.kind = kind;
    Files.createDirectories(path("/local"));
  }

  private long nowNs() {
    return Duration.between(Instant.EPOCH, now).toNanos();
  }

  public Path path(String name) {
    return files.getPath(name);
  }

  /** From now on its file systems are of this kind. */
  public void kind(String other) {
    kind = other;
  }

  /** It starts, and has this id of its boot. */
  public void boot(String id) throws IOException {
    Files.createDirectories(path(BOOT).getParent());
    Files.writeString(path(BOOT), id);
  }

  /** It does not tell its boot any more. */
  public void forgetBoot() throws IOException {
    Files.delete(path(BOOT));
  }

  public Instant now() {
    return now;
  }

  /** Its clock goes on. */
  public void pass(Duration time) {
    now = now.plus(time);
  }

  /** Returns how many files were opened since the last call. */
  public int opened() {
    int since = opened;
    opened = 0;
    return since;
  }
}
