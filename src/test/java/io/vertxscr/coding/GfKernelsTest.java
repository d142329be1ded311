package io.vertxscr.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: all kernels give the products of the field, and one that does not is not used. Method: all factors and values
 * against multiplication by shift and add; every length and alignment against a loop over bytes.
 */
@Execution(ExecutionMode.CONCURRENT)
class GfKernelsTest {
  /** The plain one, those of the Vector API, which the tests' JVM has, and ISA-L's where it is installed. */
  private static List<GfKernel> kernels() throws Exception {
    List<GfKernel> kernels = new ArrayList<>(VectorGfKernel.all());
    assertThat(kernels).isNotEmpty();
    kernels.add(GfKernels.plain());
    if (hasIsal()) {
      kernels.add(IsalGfKernel.load());
    }
    return kernels;
  }

  @SuppressWarnings("restricted")                        // opens a library, as the options of the tests allow it
  private static boolean hasIsal() {
    try {
      SymbolLookup.libraryLookup("libisal.so.2", Arena.global());
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static int product(int a, int b) {
    int product = 0;
    for (int bit = 0; bit < 8; bit++) {
      product ^= (b >> bit & 1) * (a << bit);
    }
    for (int bit = 14; bit >= 8; bit--) {
      product ^= (product >> bit & 1) * (0x11d << bit - 8);
    }
    return product;
  }

  @Test
  void theTablesOfTheFieldAreThoseOfItsPolynomial() {
    for (int a = 0; a < 256; a++) {
      for (int b = 0; b < 256; b++) {
        assertThat(Gf256.multiply(a, b)).isEqualTo(product(a, b));
        if (b != 0) {
          assertThat(Gf256.multiply(Gf256.divide(a, b), b)).isEqualTo(a);
        }
      }
    }
    assertThatThrownBy(() -> Gf256.divide(3, 0)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void everyKernelMultipliesEveryValueByEveryFactor() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(5000);
      for (int i = 0; i < 5000; i++) {
        source.set(ValueLayout.JAVA_BYTE, i, (byte) i);
      }
      for (GfKernel kernel : kernels()) {
        for (int factor = 0; factor < 256; factor++) {
          MemorySegment sum = arena.allocate(5000);
          kernel.multiplyAdd(sum, source, 5000, factor);
          for (int i = 0; i < 5000; i++) {
            if ((sum.get(ValueLayout.JAVA_BYTE, i) & 0xff) != product(factor, i & 0xff)) {
              throw new AssertionError(kernel + " at " + i + " by " + factor);
            }
          }
        }
      }
    }
  }

  @Test
  void addsEveryLengthAtEveryAlignmentAndTouchesNothingElse() throws Exception {
    var random = new Random(7);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment scratch = arena.allocate(600);
      for (GfKernel kernel : kernels()) {
        for (int length = 0; length <= 270; length++) {
          for (int start = 0; start < 9; start++) {
            byte[] accumulator = new byte[300];
            byte[] source = new byte[300];
            random.nextBytes(accumulator);
            random.nextBytes(source);
            byte[] expected = accumulator.clone();
            for (int i = 0; i < length; i++) {
              expected[start + i] ^= (byte) product(0x53, source[11 + i] & 0xff);
            }
            MemorySegment sum = scratch.asSlice(0, 300).copyFrom(MemorySegment.ofArray(accumulator));
            MemorySegment from = scratch.asSlice(300).copyFrom(MemorySegment.ofArray(source));
            kernel.multiplyAdd(sum.asSlice(start), from.asSlice(11), length, 0x53);
            assertThat(sum.toArray(ValueLayout.JAVA_BYTE))
                .as("%s length %d at %d", kernel, length, start).isEqualTo(expected);
          }
        }
      }
    }
  }

  @Test
  void addsBytesToThemselvesAndArraysToo() throws Exception {
    byte[] bytes = new byte[5000];
    new Random(9).nextBytes(bytes);
    byte[] expected = new byte[5000];
    for (int i = 0; i < 5000; i++) {
      expected[i] = (byte) product(0x53 ^ 1, bytes[i] & 0xff);
    }
    try (Arena arena = Arena.ofConfined()) {
      for (GfKernel kernel : kernels()) {
        MemorySegment same = arena.allocate(5000).copyFrom(MemorySegment.ofArray(bytes));
        kernel.multiplyAdd(same, same, 5000, 0x53);
        assertThat(same.toArray(ValueLayout.JAVA_BYTE)).as(kernel.toString()).isEqualTo(expected);
        byte[] array = bytes.clone();
        kernel.multiplyAdd(MemorySegment.ofArray(array), MemorySegment.ofArray(bytes), 5000, 0x53);
        assertThat(array).as(kernel.toString()).isEqualTo(expected);
      }
    }
  }

  @Test
  void refusesMoreThanOneSideHasAndFactorsThatAreNone() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment small = arena.allocate(7);
      MemorySegment large = arena.allocate(16);
      for (GfKernel kernel : kernels()) {
        for (Runnable wrong : List.<Runnable>of(() -> kernel.multiplyAdd(small, large, 8, 2),
            () -> kernel.multiplyAdd(large, small, 8, 2), () -> kernel.multiplyAdd(large, large, 16, 256),
            () -> kernel.multiplyAdd(large, large, 16, -1), () -> kernel.multiplyAdd(large, large, -1, 2),
            () -> kernel.multiplyAdd(large, large, 0, 256))) {
          assertThatThrownBy(wrong::run).as(kernel.toString()).isInstanceOf(IndexOutOfBoundsException.class);
        }
      }
    }
  }

  @Test
  void aKernelThatIsWrongInOneByteIsNotUsed() {
    GfKernel wrong = (accumulator, source, bytes, factor) -> {
      GfKernels.plain().multiplyAdd(accumulator, source, bytes, factor);
      if (factor == 0x8e) {
        accumulator.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 0);
      }
    };
    GfKernels.KernelChoice choice = GfKernels.best(List.of(wrong), "");
    assertThat(choice.isPlain()).isTrue();
    assertThat(choice.why()).startsWith("plain: ").contains("by 142 wrongly");
    GfKernel right = (accumulator, source, bytes, factor) ->
        GfKernels.plain().multiplyAdd(accumulator, source, bytes, factor);
    assertThat(GfKernels.best(List.of(wrong, right), "").kernel()).isSameAs(right);
  }

  @Test
  void usesTheLibraryElseTheVectorsOnceTheyAreTried() {
    assertThat(GfKernels.warmUp().why()).startsWith(hasIsal() ? "ISA-L" : "vectors of ");
    assertThat(GfKernels.warmUp().isPlain()).isFalse();
    assertThat(GfKernels.choice()).isSameAs(GfKernels.warmUp());
  }

  /** Prints what is chosen. */
  public static final class ChoiceOfAnotherJvm {
    private ChoiceOfAnotherJvm() {}

    /** Runs it. */
    public static void main(String[] args) {
      System.out.println(GfKernels.warmUp().why());
    }
  }

  /** Whatever the JVM prints is part of what is compared, so it warns of nothing. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      -Dx=1            | plain: no ISA-L: the JVM was started without --enable-native-access
      -Dscr.isal=false | plain: -Dscr.isal=false
      """)
  void worksInAJvmThatMayUseNeitherTheLibraryNorTheModule(String option, String expected) throws Exception {
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), option,
        "-cp", System.getProperty("java.class.path"), ChoiceOfAnotherJvm.class.getName())
        .redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).isEqualTo(expected + ", the JVM was started without --add-modules jdk.incubator.vector");
  }
}
