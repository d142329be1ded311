package io.vertxscr.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.Samples.Sample;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: every kind of file is decoded as encoded. Any damaged, missing or malformed part is refused by name. Method:
 * one sample of each kind; every bit flipped, every length cut, every key taken out, every value made nonsense, the
 * children in other orders. What may be missing, or hold anything, is listed among the resources in
 * {@code <kind>.tolerated.txt}: texts, keys that only other tools read, and keys whose absence means something. Replay
 * with {@code -Dseed=N}.
 */
@Execution(ExecutionMode.CONCURRENT)
class EveryFileKindTest {
  static List<Sample> samples() {
    return Samples.all();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void treeIsTheDocumentedOne(Sample sample) {
    assertThat(HashFile.dump(sample.bytes())).isEqualTo(golden(sample, "tree"));
  }

  @ParameterizedTest
  @MethodSource("samples")
  void whatWasWrittenIsRead(Sample sample) {
    assertThat(sample.decode().apply(sample.bytes())).isEqualTo(sample.value());
  }

  @ParameterizedTest
  @MethodSource("samples")
  void everyBitFlipIsRefused(Sample sample) {
    for (int bit = 0; bit < sample.bytes().length * 8; bit++) {
      byte[] flipped = sample.bytes().clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertCorrupt(sample, flipped, "bit " + bit);
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void everyTruncationIsRefused(Sample sample) {
    for (int length = 0; length < sample.bytes().length; length++) {
      assertCorrupt(sample, Arrays.copyOf(sample.bytes(), length), length + " bytes");
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void orderOfChildrenMeansNothing(Sample sample) {
    long seed = Long.getLong("seed", 7L);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Hash tree = HashFile.decode(sample.bytes(), "test");
    for (int i = 0; i < 50; i++) {
      assertThat(sample.decode().apply(HashFile.encode(shuffled(tree, random)))).isEqualTo(sample.value());
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void unknownKeysAreIgnored(Sample sample) {
    Hash tree = HashFile.decode(sample.bytes(), "test").set("ADDED_BY_A_LATER_VERSION", 1);
    assertThat(sample.decode().apply(HashFile.encode(tree))).isEqualTo(sample.value());
  }

  @ParameterizedTest
  @MethodSource("samples")
  void everyKeyThatIsMissingOrNonsenseIsRefusedUnlessListed(Sample sample) {
    Hash tree = HashFile.decode(sample.bytes(), "test");
    StringBuilder tolerated = new StringBuilder();
    for (List<String> path : paths(tree)) {
      if (decodes(sample, edited(tree, path, List.of()))) {
        tolerated.append("missing  ").append(String.join(" > ", path)).append('\n');
      }
      if (decodes(sample, edited(tree, path, List.of("?")))) {
        tolerated.append("anything ").append(String.join(" > ", path)).append('\n');
      }
    }
    assertThat(tolerated.toString()).isEqualTo(golden(sample, "tolerated"));
  }

  private static boolean decodes(Sample sample, Hash tree) {
    try {
      assertThat(sample.decode().apply(HashFile.encode(tree))).isNotNull();
      return true;
    } catch (ScrException e) {
      assertThat(e.fault()).isEqualTo(Fault.CORRUPT);
      return false;
    }
  }

  private static List<List<String>> paths(Hash tree) {
    List<List<String>> paths = new ArrayList<>();
    tree.children().forEach((key, child) -> {
      paths.add(List.of(key));
      paths(child).forEach(below -> {
        List<String> path = new ArrayList<>(List.of(key));
        path.addAll(below);
        paths.add(path);
      });
    });
    return paths;
  }

  /** The tree with the key at the end of the path replaced by these. */
  private static Hash edited(Hash tree, List<String> path, List<String> instead) {
    Hash edited = new Hash();
    tree.children().forEach((key, child) -> {
      if (!key.equals(path.getFirst())) {
        edited.put(key, child);
      } else if (path.size() > 1) {
        edited.put(key, edited(child, path.subList(1, path.size()), instead));
      } else {
        instead.forEach(other -> edited.put(other, child));
      }
    });
    return edited;
  }

  private static String golden(Sample sample, String what) {
    String name = sample.name() + "." + what + ".txt";
    try (var in = EveryFileKindTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertCorrupt(Sample sample, byte[] file, String what) {
    assertThatThrownBy(() -> sample.decode().apply(file)).as(what)
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.CORRUPT));
  }

  private static Hash shuffled(Hash tree, Random random) {
    List<Map.Entry<String, Hash>> children = new ArrayList<>(tree.children().entrySet());
    Collections.shuffle(children, random);
    Hash shuffled = new Hash();
    children.forEach(child -> shuffled.put(child.getKey(), shuffled(child.getValue(), random)));
    return shuffled;
  }
}
