package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.RankFiles;
import io.vertxscr.storage.RankInMemory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: small files are of the call that they came for, and of no other. */
class ReceivedFilesTest {
  private final ReceivedFiles received = new ReceivedFiles();

  private static List<RankInMemory> files(int rank) {
    return List.of(new RankInMemory(new RankFiles(rank, List.of()), new byte[0]));
  }

  @Test
  void whatCameForAGatherIsTakenOnce() {
    received.put(4, files(1));
    received.put(4, files(2));
    received.put(4, files(2));
    assertThat(received.take(4)).containsOnlyKeys(1, 2);
    assertThat(received.take(4)).isEmpty();
  }

  @Test
  void whatCameForAnotherOneIsNot() {
    received.put(4, files(1));
    assertThat(received.take(5)).isEmpty();
    received.put(6, files(2));
    received.put(4, files(3));
    assertThat(received.take(6)).containsOnlyKeys(2);
  }
}
