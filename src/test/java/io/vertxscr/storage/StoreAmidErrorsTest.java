package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.SimulatedMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: no error of its disk makes a node forget what it holds. Method: each operation, and look, fails once. */
class StoreAmidErrorsTest {
  private static final int ID = 7;
  private static final List<String> FILES = List.of("rank.0/a", ".scr/g1/1_of_2_in_0.xor");

  private SimulatedMachine machine;
  private NodeDirectories directories;

  @BeforeEach
  void write() throws IOException {
    machine = new SimulatedMachine("xfs");
    machine.boot("first");
    directories = new NodeDirectories(machine.path("/local/cache"), machine.path("/local/control"));
    DatasetStore store = DatasetStore.open(directories);
    Path directory = store.createDirectory(ID);
    assertThat(store.createGeneration(ID)).isEqualTo(1);
    for (String name : FILES) {
      Files.createDirectories(directory.resolve(name).getParent());
      Files.writeString(directory.resolve(name), "bytes");
    }
    store.save(DatasetStoreTest.dataset(ID, 1, store.cache(ID)));
  }

  private boolean fails(Runnable work) {
    try {
      work.run();
      return false;
    } catch (ScrException e) {
      assertThat(e.fault()).as(e.getMessage()).isEqualTo(Fault.IO);
      return true;
    }
  }

  @Test
  void aStartForgetsNothing() {
    int refused = 0;
    for (int number = 1; ; number++) {
      machine.failAt(number);
      refused += fails(() -> DatasetStore.open(directories)) ? 1 : 0;
      boolean hasFailed = machine.hasFailed();
      machine.failAt(0);
      DatasetStore store = DatasetStore.open(directories);
      assertThat(store.find(ID)).as("error " + number).isPresent();
      assertThat(FILES).as("error " + number).allMatch(name -> Files.exists(store.directory(ID).resolve(name)));
      if (!hasFailed) {
        break;
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void noGenerationIsBegunTwice() {
    int refused = 0;
    for (int number = 1; ; number++) {
      DatasetStore store = DatasetStore.open(directories);
      machine.failAt(number);
      boolean isRefused = fails(() -> assertThat(store.createGeneration(ID)).isNotEqualTo(1));
      refused += isRefused ? 1 : 0;
      boolean hasFailed = machine.hasFailed();
      machine.failAt(0);
      if (!hasFailed) {
        break;
      }
    }
    assertThat(refused).isPositive();
  }
}
