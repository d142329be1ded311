package io.vertxscr.coding;

import java.io.IOException;
import java.io.InputStream;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Multiplies whole vectors. A product is the sum of those of the low and the high nibble, and 16 products fit in the
 * lanes of a vector, from which others are selected by index. After Plank, Greenan, Miller: Screaming Fast Galois Field
 * Arithmetic Using Intel SIMD Instructions (FAST 2013).
 *
 * <p>The high nibble is taken by a shift of longs, because there is no shift of bytes in the hardware; what comes in
 * from the neighbouring byte is masked off. Which length of vectors is the fastest depends on the processor: one that
 * cannot select over long vectors does it in many steps. Only {@link GfKernels} names this class, and only where there
 * is the module jdk.incubator.vector. Small blocks, as in {@link Xor}.
 */
final class VectorGfKernel implements GfKernel {
  private static final VectorSpecies<Byte> SPECIES = species();
  private static final int LANES = SPECIES.length();
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final int BLOCK_BYTES = 4096;
  private static final int NIBBLES = 16;
  /** For each factor its products with 0 to 15, repeated to a vector's length, then with 0, 16, ... 240. */
  private static final byte[][] PRODUCTS = products();

  /**
   * Returns a kernel that every processor can run, and one of the longest vectors of this processor. The compiler knows
   * vectors only where their length is a constant of the class, so each gets a copy of this class with its own.
   */
  static List<GfKernel> all() throws IOException, ReflectiveOperationException {
    byte[] code;
    try (InputStream file = VectorGfKernel.class.getResourceAsStream("VectorGfKernel.class")) {
      code = file.readAllBytes();
    }
    List<GfKernel> kernels = new ArrayList<>();
    for (VectorSpecies<Byte> species : new LinkedHashSet<>(List.of(
        ByteVector.SPECIES_128, ByteVector.SPECIES_PREFERRED))) {
      Class<?> copy = MethodHandles.lookup().defineHiddenClassWithClassData(code, species, true).lookupClass();
      kernels.add((GfKernel) copy.getDeclaredConstructor().newInstance());
    }
    return kernels;
  }

  private static VectorSpecies<Byte> species() {
    try {
      Object species = MethodHandles.classData(
          MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, VectorSpecies.class);
      return species == null ? ByteVector.SPECIES_PREFERRED : ((VectorSpecies<?>) species).check(byte.class);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public void multiplyAdd(MemorySegment accumulator, MemorySegment source, long bytes, int factor) {
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    byte[] products = PRODUCTS[factor];
    long whole = bytes & -LANES;
    for (long at = 0; at < whole; at += BLOCK_BYTES) {
      addBlock(to, from, at, (int) Math.min(BLOCK_BYTES, whole - at), products);
    }
    for (long i = whole; i < bytes; i++) {
      to.set(BYTE, i, (byte) (to.get(BYTE, i) ^ product(products, from.get(BYTE, i))));
    }
  }

  private static void addBlock(MemorySegment to, MemorySegment from, long at, int bytes, byte[] products) {
    ByteVector low = ByteVector.fromArray(SPECIES, products, 0);
    ByteVector high = ByteVector.fromArray(SPECIES, products, LANES);
    for (int i = 0; i < bytes; i += LANES) {
      ByteVector values = ByteVector.fromMemorySegment(SPECIES, from, at + i, ByteOrder.LITTLE_ENDIAN);
      ByteVector lows = values.and((byte) 0x0f);
      ByteVector highs = values.reinterpretAsLongs().lanewise(VectorOperators.LSHR, 4).reinterpretAsBytes()
          .and((byte) 0x0f);
      ByteVector product = lows.selectFrom(low).lanewise(VectorOperators.XOR, highs.selectFrom(high));
      ByteVector.fromMemorySegment(SPECIES, to, at + i, ByteOrder.LITTLE_ENDIAN)
          .lanewise(VectorOperators.XOR, product)
          .intoMemorySegment(to, at + i, ByteOrder.LITTLE_ENDIAN);
    }
  }

  private static int product(byte[] products, byte value) {
    return products[value & 0x0f] ^ products[LANES + (value >> 4 & 0x0f)];
  }

  private static byte[][] products() {
    byte[][] products = new byte[Gf256.ELEMENTS][2 * LANES];
    for (int factor = 0; factor < Gf256.ELEMENTS; factor++) {
      for (int lane = 0; lane < LANES; lane++) {
        products[factor][lane] = (byte) Gf256.multiply(factor, lane % NIBBLES);
        products[factor][LANES + lane] = (byte) Gf256.multiply(factor, lane % NIBBLES << 4);
      }
    }
    return products;
  }

  @Override
  public String toString() {
    return "vectors of " + LANES + " bytes";
  }
}
