package io.vertxscr.load.jmh;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.coding.GfKernels;
import io.vertxscr.coding.Xor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One operation is one piece, so pieceBytes times the score is bytes a second. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = {"--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KernelBenchmark {
  @Param({"65536", "524288", "1048576"})
  public int pieceBytes;

  private ByteBuffer accumulator;
  private ByteBuffer source;

  @Setup
  public void fill() {
    GfKernels.warmUp();
    byte[] bytes = new byte[pieceBytes];
    new Random(1).nextBytes(bytes);
    source = ByteBuffer.allocateDirect(pieceBytes).put(bytes).flip();
    accumulator = ByteBuffer.allocateDirect(pieceBytes);
  }

  /** Cost of a fold for each piece of another member. */
  @Benchmark
  public void xorFold() {
    Xor.fold(accumulator, source, pieceBytes);
  }

  /**
   * Cost of each further row of Reed-Solomon for each piece of another member, by the selected kernel: ISA-L's, where
   * it is installed, unless JMH is called with {@code -jvmArgs -Dscr.isal=false}.
   */
  @Benchmark
  public void gfMultiplyAdd() {
    GfKernels.multiplyAdd(accumulator, source, pieceBytes, 0x57);
  }

  /** The same cost by the plain loop. */
  @Benchmark
  public void gfMultiplyAddPlain() {
    GfKernels.plain().multiplyAdd(
        MemorySegment.ofBuffer(accumulator), MemorySegment.ofBuffer(source), pieceBytes, 0x57);
  }

  /** Cost of the checksum for every byte that is read. */
  @Benchmark
  public long crc32() {
    CRC32 crc = new CRC32();
    crc.update(source.duplicate());
    return crc.getValue();
  }

  /** Cost of one combination, once for each piece of a file of any size. */
  @Benchmark
  public int crc32Combine() {
    return Crc32s.combine(0x12345678, 0x9abcdef0, pieceBytes);
  }

  /** The reference: nothing that touches all bytes is faster. */
  @Benchmark
  public void memoryCopy() {
    MemorySegment.ofBuffer(accumulator).copyFrom(MemorySegment.ofBuffer(source));
  }
}
