package io.vertxscr.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: what is written from front to back is the tree that was meant. Replay with {@code -Dseed=N}. */
@Execution(ExecutionMode.CONCURRENT)
class PackerTest {
  @Test
  void randomTreesWrittenKeyByKeyAreRead() {
    long seed = Long.getLong("seed", 20261121L);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      Hash tree = new Hash();
      Packer packer = new Packer();
      long treeSeed = random.nextLong();
      int depth = random.nextInt(6);
      write(new Random(treeSeed), depth, tree, packer);
      byte[] file = packer.file();
      assertThat(HashFile.decode(file, "test").toString()).isEqualTo(tree.toString());
      assertThat(file).isEqualTo(HashFile.encode(tree)).hasSize(HashFile.encodedBytes(tree));
      Packer counting = Packer.counting();
      write(new Random(treeSeed), depth, new Hash(), counting);
      assertThat(counting.fileBytes()).isEqualTo(file.length);
    }
  }

  @Test
  void whatIsNestedToTheLimitIsWrittenAndNoDeeper() {
    Packer packer = new Packer();
    for (int depth = 0; depth < Limits.MAX_HASH_DEPTH; depth++) {
      packer.open("A");
    }
    assertThatThrownBy(() -> packer.open("A")).isInstanceOf(ScrException.class).hasMessageContaining("nested");
    assertThatThrownBy(packer::file).hasMessage(Limits.MAX_HASH_DEPTH + " hashes are still open");
    for (int depth = 0; depth < Limits.MAX_HASH_DEPTH; depth++) {
      packer.close();
    }
    assertThat(HashFile.dump(packer.file()).lines()).hasSize(Limits.MAX_HASH_DEPTH);
  }

  private static void write(Random random, int depth, Hash tree, Packer packer) {
    for (int i = random.nextInt(5); i > 0; i--) {
      String key = i + (random.nextBoolean() ? "k" : "\u00e4").repeat(random.nextInt(400));
      Hash below = new Hash();
      switch (depth == 0 ? 0 : random.nextInt(3)) {
        case 0 -> {
          packer.set(key, i);
          below.put(Integer.toString(i), new Hash());
        }
        case 1 -> {
          write(random, depth - 1, below, packer.open(key));
          packer.close();
        }
        default -> packer.put(key, below.set("a", i).add("a", "b"));
      }
      tree.put(key, below);
    }
  }
}
