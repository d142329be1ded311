package io.vertxscr.coding;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandleProxies;

/**
 * Multiplies by ISA-L, the storage library of Intel, where the machine has it.
 *
 * <p>Its code is fast from the first call on, where that of the Vector API waits for the second compiler, and needs no
 * module that every start of a JVM would pay for. Its functions find out by themselves which instructions the processor
 * has; they exist for ARM, too.
 *
 * <p>What is called is {@code gf_vect_mad}, which takes whole blocks here: it refuses less than 64 bytes, and how an
 * end is handled differs by processor. Its table of a factor has the products with 0 to 15, then with 0, 16, ... 240
 * ({@code isa-l/gf_vect_mul.h}). Tables are of our own making, because {@code ec_init_tables} of newer versions makes
 * those of other functions where the processor has GFNI.
 */
final class IsalGfKernel implements GfKernel {
  private static final String LIBRARY = "libisal.so.2";
  private static final int BLOCK_BYTES = 64;
  /** The function takes an int. */
  private static final long MOST_BYTES = 1L << 30;
  private static final int NIBBLES = 16;
  private static final int TABLE_BYTES = 2 * NIBBLES;

  private final MultiplyAdd library;
  private final MemorySegment tables;

  /** {@code gf_vect_mad}, for the first of so many tables if {@code table} is 0. */
  @FunctionalInterface
  public interface MultiplyAdd {
    /** Adds the products. The integers are not negative. */
    void call(long bytes, long vectors, long table, MemorySegment tables, MemorySegment source,
        MemorySegment accumulator);
  }

  private IsalGfKernel(MultiplyAdd library, MemorySegment tables) {
    this.library = library;
    this.tables = tables;
  }

  /**
   * Returns the kernel, not yet compared with any other.
   *
   * @throws RuntimeException if the library is not there, or this JVM or platform may not call it
   */
  @SuppressWarnings("restricted")                        // a call of a library, as the launcher's options allow it
  static GfKernel load() {
    if (!IsalGfKernel.class.getModule().isNativeAccessEnabled()) {
      throw new IllegalStateException("the JVM was started without --enable-native-access");
    }
    MemorySegment function = SymbolLookup.libraryLookup(LIBRARY, Arena.global()).findOrThrow("gf_vect_mad");
    // Integers are passed as longs, in the same registers: the upper half of an int's is undefined, and the assembler
    // code of ISA-L 2.30 uses all of it.
    FunctionDescriptor type = FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
        ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
    return new IsalGfKernel(MethodHandleProxies.asInterfaceInstance(MultiplyAdd.class,
        Linker.nativeLinker().downcallHandle(function, type)), tables());
  }

  private static MemorySegment tables() {
    MemorySegment tables = Arena.global().allocate(Gf256.ELEMENTS * TABLE_BYTES, BLOCK_BYTES);
    for (int factor = 0; factor < Gf256.ELEMENTS; factor++) {
      for (int nibble = 0; nibble < NIBBLES; nibble++) {
        long at = (long) factor * TABLE_BYTES + nibble;
        tables.set(ValueLayout.JAVA_BYTE, at, (byte) Gf256.multiply(factor, nibble));
        tables.set(ValueLayout.JAVA_BYTE, at + NIBBLES, (byte) Gf256.multiply(factor, nibble << 4));
      }
    }
    return tables;
  }

  @Override
  public void multiplyAdd(MemorySegment accumulator, MemorySegment source, long bytes, int factor) {
    if (!accumulator.isNative() || accumulator.isReadOnly() || !source.isNative()) {
      GfKernels.plain().multiplyAdd(accumulator, source, bytes, factor);
      return;
    }
    MemorySegment to = accumulator.asSlice(0, bytes);
    MemorySegment from = source.asSlice(0, bytes);
    MemorySegment table = tables.asSlice((long) factor * TABLE_BYTES, TABLE_BYTES);
    long whole = bytes & -BLOCK_BYTES;
    for (long at = 0; at < whole; at += MOST_BYTES) {
      long length = Math.min(MOST_BYTES, whole - at);
      library.call(length, 1, 0, table, from.asSlice(at, length), to.asSlice(at, length));
    }
    PlainGfKernel.addBytes(to, from, whole, factor);
  }

  @Override
  public String toString() {
    return "ISA-L";
  }
}
