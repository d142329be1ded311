package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: an inspection of the prefix file system is repeated as soon as it could find something else. Method: each kind
 * of change to each kind of thing that was looked at, by another node; and changes elsewhere, which count for nothing.
 */
class SightingTest {
  private final SimulatedDisk shared = new SimulatedDisk(() -> 0);
  private final SimulatedFileSystem inspector = view("inspector");
  private final SimulatedFileSystem node = view("n1");
  private Sighting<String> sighting;

  private SimulatedFileSystem view(String name) {
    return new SimulatedFileSystem(
        name, new SimulatedDisk(() -> 0), shared, SimulatedFileSystem.Interference.NONE);
  }

  @BeforeEach
  void looks() throws IOException {
    Files.createDirectories(there("listed"));
    Files.createDirectories(there("on-the-way/there"));
    Files.writeString(there("read"), "content");
    shared.syncAll();
    sighting = Sighting.of(() -> view("inspector"), files -> {
      boolean absent = Files.exists(files.getPath("/pfs/absent")) || !Files.exists(files.getPath("/pfs/on-the-way"));
      try (Stream<Path> listed = Files.list(files.getPath("/pfs/listed"))) {
        return Files.readString(files.getPath("/pfs/read")) + absent + listed.count();
      }
    });
  }

  private Path there(String name) {
    return node.getPath("/pfs/" + name);
  }

  /** What somebody does to what was looked at. */
  private enum Change {
    WRITE, APPEND, TRUNCATE, REPLACE, DELETE, ROT, CREATE, ADD_ENTRY, LOSE_DIRECTORY
  }

  @ParameterizedTest
  @EnumSource
  void endsWithEachChangeOfWhatWasLookedAt(Change change) throws IOException {
    switch (change) {
      case WRITE -> Files.writeString(there("read"), "another", StandardOpenOption.WRITE);
      case APPEND -> Files.writeString(there("read"), "more", StandardOpenOption.APPEND);
      case TRUNCATE -> FileChannel.open(there("read"), StandardOpenOption.WRITE).truncate(3).close();
      case REPLACE -> {
        Files.writeString(there("draft"), "content");
        Files.move(there("draft"), there("read"), StandardCopyOption.ATOMIC_MOVE);
      }
      case DELETE -> Files.delete(there("read"));
      case ROT -> node.find((UserspacePath) there("read")).rot(2);
      case CREATE -> Files.writeString(there("absent"), "");
      case ADD_ENTRY -> Files.writeString(there("listed/entry"), "");
      case LOSE_DIRECTORY -> Files.delete(there("listed"));
    }

    assertThat(sighting.holds(inspector)).isFalse();
  }

  @Test
  void endsWithALossOfPowerThatTakesBytes() throws IOException {
    Files.writeString(there("read"), "another", StandardOpenOption.WRITE);
    sighting = Sighting.of(() -> view("inspector"), files -> Files.readString(files.getPath("/pfs/read")));

    shared.powerLoss(Kept.NOTHING, new Random(1));

    assertThat(sighting.result()).isEqualTo("another");
    assertThat(Files.readString(there("read"))).isEqualTo("content");
    assertThat(sighting.holds(inspector)).isFalse();
  }

  @Test
  void outlivesChangesElsewhere() throws IOException {
    Files.writeString(there("beside"), "content");
    Files.delete(there("on-the-way/there"));

    assertThat(sighting.result()).isEqualTo("contentfalse0");
    assertThat(sighting.holds(inspector)).isTrue();
  }
}
