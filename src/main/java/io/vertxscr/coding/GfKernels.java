package io.vertxscr.coding;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Selects the multiplication in GF(2^8): ISA-L if installed, else the Vector API, else a plain loop. That loop also
 * serves until {@link #warmUp} has completed, and where the others are wrong. Thread-safe.
 *
 * <p>ISA-L is compiled already; {@code -Dscr.isal=false} leaves it out, for comparisons. The Vector API needs the
 * module jdk.incubator.vector ({@code --add-modules}); everything works without both, at a fraction of the rate.
 * Results of Java are compared after the compiler is through: what is checked is the code that will run. On direct
 * memory only, as in use: kernels that have seen arrays too are compiled for both, and stay slow.
 */
public final class GfKernels {
  private static final String MODULE = "jdk.incubator.vector";
  private static final String ISAL = "scr.isal";
  private static final GfKernel PLAIN = new PlainGfKernel();

  private static final int CHECKED_BYTES = 4 * 4096 + 77;   // blocks, and an end that fits nothing
  private static final int[] CHECKED_FACTORS = {0, 1, 2, 3, 0x1d, 0x80, 0x8e, 0xff};
  /** Small, because vectors are slow objects until they are compiled. Whole blocks, or nothing would be compiled. */
  private static final int PRACTICE_BYTES = 2048;
  /** Calls after which the JVM has its second compiler translate a kernel, and some more. */
  private static final int CALLS_UNTIL_COMPILED = 2000;
  private static final int RACES = 1000;

  private static boolean tried;
  private static volatile KernelChoice choice = new KernelChoice(PLAIN, "plain: others are not tried yet");

  /**
   * Selected kernel and the reason.
   *
   * @param why for the log: the kernel, and what was wrong with others
   */
  public record KernelChoice(GfKernel kernel, String why) {
    /** Whether nothing faster was found. */
    public boolean isPlain() {
      return kernel == PLAIN;
    }
  }

  private GfKernels() {}

  /** The kernel in use. */
  public static KernelChoice choice() {
    return choice;
  }

  /** The one that every JVM has; for comparisons. */
  public static GfKernel plain() {
    return PLAIN;
  }

  /** Tries what there is, once in a JVM, and uses the best from then on. Some 100 ms of work; with ISA-L a third. */
  public static synchronized KernelChoice warmUp() {
    if (!tried) {
      choice = choose();
      tried = true;
    }
    return choice;
  }

  private static KernelChoice choose() {
    if (!Boolean.parseBoolean(System.getProperty(ISAL, "true"))) {
      return ofJava("-D" + ISAL + "=false");
    }
    try {
      GfKernel isal = IsalGfKernel.load();
      return problem(isal).map(what -> ofJava(isal + " " + what))
          .orElseGet(() -> new KernelChoice(isal, isal.toString()));
    } catch (RuntimeException | LinkageError e) {
      return ofJava("no ISA-L: " + e.getMessage());
    }
  }

  /** @param without why not ISA-L */
  private static KernelChoice ofJava(String without) {
    if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
      return best(List.of(), without + ", the JVM was started without --add-modules " + MODULE);
    }
    try {
      return best(VectorGfKernel.all(), without);
    } catch (IOException | ReflectiveOperationException | LinkageError | RuntimeException e) {
      return best(List.of(), without + ", no vectors: " + e);
    }
  }

  /**
   * Returns the first correct kernel of Java, or a later one that is correct and much faster. Rates measured on a busy
   * machine are unreliable, so the order has more weight.
   */
  static KernelChoice best(List<GfKernel> candidates, String remark) {
    List<String> remarks = new ArrayList<>(remark.isEmpty() ? List.of() : List.of(remark));
    List<GfKernel> right = new ArrayList<>();
    practise(PLAIN);
    for (GfKernel candidate : candidates) {
      practise(candidate);
      problem(candidate).ifPresentOrElse(
          what -> remarks.add(candidate + " " + what), () -> right.add(candidate));
    }
    GfKernel best = right.isEmpty() ? PLAIN : fastest(right);
    return new KernelChoice(best, best + (remarks.isEmpty() ? "" : ": " + String.join(", ", remarks)));
  }

  private static void practise(GfKernel kernel) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(PRACTICE_BYTES);
      for (int call = 0; call < CALLS_UNTIL_COMPILED; call++) {
        kernel.multiplyAdd(block, block, PRACTICE_BYTES, 2);
      }
    }
  }

  private static GfKernel fastest(List<GfKernel> kernels) {
    long[] bestNs = new long[kernels.size()];
    Arrays.fill(bestNs, Long.MAX_VALUE);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(CHECKED_BYTES);
      MemorySegment sum = arena.allocate(CHECKED_BYTES);
      for (int round = 0; kernels.size() > 1 && round < RACES; round++) {
        for (int i = 0; i < bestNs.length; i++) {         // in turn: a busy machine is slow for all of them
          long begin = System.nanoTime();
          kernels.get(i).multiplyAdd(sum, source, CHECKED_BYTES, 2);
          bestNs[i] = Math.min(bestNs[i], System.nanoTime() - begin);
        }
      }
    }
    int best = 0;
    for (int i = 1; i < bestNs.length; i++) {
      best = bestNs[i] < bestNs[best] / 2 ? i : best;
    }
    return kernels.get(best);
  }

  /** Returns the difference to the plain loop's result. */
  private static Optional<String> problem(GfKernel kernel) {
    byte[] random = new byte[CHECKED_BYTES];
    new Random(1).nextBytes(random);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(CHECKED_BYTES).copyFrom(MemorySegment.ofArray(random));
      MemorySegment expected = arena.allocate(CHECKED_BYTES);
      MemorySegment found = arena.allocate(CHECKED_BYTES);
      for (int factor : CHECKED_FACTORS) {
        PLAIN.multiplyAdd(expected.copyFrom(source), source, CHECKED_BYTES, factor);
        kernel.multiplyAdd(found.copyFrom(source), source, CHECKED_BYTES, factor);
        long different = expected.mismatch(found);
        if (different >= 0) {
          return Optional.of("multiply by " + factor + " wrongly: " + found.get(ValueLayout.JAVA_BYTE, different)
              + " instead of " + expected.get(ValueLayout.JAVA_BYTE, different) + " at byte " + different);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Computes {@code accumulator += factor * source} between the positions of two buffers, which do not move. Direct
   * buffers are faster.
   */
  public static void multiplyAdd(ByteBuffer accumulator, ByteBuffer source, int bytes, int factor) {
    switch (factor) {
      case 0 -> { }
      case 1 -> Xor.fold(accumulator, source, bytes);
      default -> (accumulator.isDirect() && source.isDirect() ? choice.kernel() : PLAIN).multiplyAdd(
          MemorySegment.ofBuffer(accumulator), MemorySegment.ofBuffer(source), bytes, factor);
    }
  }
}
