package io.vertxscr.prefix.copy.zstd;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.vertxscr.format.prefix.SeekTable.Frame;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Compresses and decodes frames, each by itself. Two direct buffers for each thread, of a frame each, are all that it
 * needs besides what the library has for a frame: memory is bounded by the threads. Only for the threads that move bulk
 * bytes; a caller must be done with the buffers before it has another coder. Used by one thread at a time; between two
 * frames, when nothing is in the buffers, another one may go on.
 */
final class FrameCoder implements AutoCloseable {
  /** Decoded bytes of a frame; the last one of a file may be shorter. */
  static final int FRAME_BYTES = 1 << 20;
  /** Maximum size of a stored frame: a little more than its content, if that is incompressible. */
  private static final int MAX_STORED_BYTES = FRAME_BYTES + (FRAME_BYTES >> 8) + 64;

  private static final int FRAME_MAGIC = 0xFD2FB528;
  private static final int MIN_STORED_BYTES = 4 + 1 + 4;
  /** Unused bits of the frame header's descriptor; zstd ignores one of them. */
  private static final int UNUSED_BITS = 0x18;
  private static final ThreadLocal<Buffers> OF_THREAD = ThreadLocal.withInitial(() -> new Buffers(
      ByteBuffer.allocateDirect(FRAME_BYTES), ByteBuffer.allocateDirect(MAX_STORED_BYTES)));

  private ZstdCompressCtx compressor;
  private ZstdDecompressCtx decompressor;

  private record Buffers(ByteBuffer plain, ByteBuffer stored) {}

  private FrameCoder() {}

  /** To compress. @throws ScrException IO where the library cannot be loaded */
  static FrameCoder compressing(int level) {
    return created(coder -> {
      coder.compressor = new ZstdCompressCtx();
      coder.compressor.setLevel(level).setChecksum(true);
    });
  }

  /** To decode. @throws ScrException IO where the library cannot be loaded */
  static FrameCoder decoding() {
    return created(coder -> coder.decompressor = new ZstdDecompressCtx());
  }

  private static FrameCoder created(Consumer<FrameCoder> with) {
    FrameCoder coder = new FrameCoder();
    try {
      with.accept(coder);
      return coder;
    } catch (LinkageError e) {                            // no directory that programs may be loaded from, or no room
      throw new ScrException(Fault.IO, "the zstd library cannot be loaded on this node: " + e.getMessage()
          + "; name a directory for it with -DZstdTempFolder=..., or leave COMPRESS out", e);
    }
  }

  /** The buffer of decoded bytes, empty, with room for so many. */
  ByteBuffer plain(long bytes) {
    return OF_THREAD.get().plain.clear().limit((int) Math.min(bytes, FRAME_BYTES));
  }

  /** The buffer of stored bytes, with room for this frame. @throws ScrException CORRUPT if none of ours is so long */
  ByteBuffer stored(Frame frame) {
    if (frame.storedBytes() < MIN_STORED_BYTES || frame.storedBytes() > MAX_STORED_BYTES
        || frame.bytes() > FRAME_BYTES) {
      throw new ScrException(Fault.CORRUPT, 
          "has " + frame.bytes() + " bytes, stored in " + frame.storedBytes() + ", as none of ours");
    }
    return OF_THREAD.get().stored.clear().limit(frame.storedBytes());
  }

  /**
   * Compresses {@link #plain}, from its beginning to its position.
   *
   * @return the frame, in the other buffer
   */
  ByteBuffer compress() {
    Buffers buffers = OF_THREAD.get();
    int bytes = compressor.compressDirectByteBuffer(
        buffers.stored.clear(), 0, MAX_STORED_BYTES, buffers.plain, 0, buffers.plain.position());
    return buffers.stored.clear().limit(bytes);
  }

  /** Returns zstd's frame checksum: the low half of the XXH64 of its decoded bytes. */
  static int checksum(ByteBuffer stored) {
    return stored.order(ByteOrder.LITTLE_ENDIAN).getInt(stored.limit() - Integer.BYTES);
  }

  /**
   * Decodes all of {@link #stored}.
   *
   * @return the bytes, in the other buffer
   * @throws ScrException CORRUPT if it is not the frame that the table describes
   */
  ByteBuffer decode(Frame frame) {
    Buffers buffers = OF_THREAD.get();
    ByteBuffer stored = buffers.stored.order(ByteOrder.LITTLE_ENDIAN);
    if (stored.getInt(0) != FRAME_MAGIC || (stored.get(Integer.BYTES) & UNUSED_BITS) != 0
        || checksum(stored) != frame.checksum()) {
      throw new ScrException(Fault.CORRUPT, "is not the frame that the seek table describes");
    }
    try {
      int bytes = decompressor.decompressDirectByteBuffer(
          buffers.plain.clear(), 0, frame.bytes(), stored, 0, frame.storedBytes());
      if (bytes != frame.bytes()) {
        throw new ScrException(Fault.CORRUPT, "has " + bytes + " bytes instead of " + frame.bytes());
      }
      return buffers.plain.clear().limit(bytes);
    } catch (ZstdException e) {
      throw new ScrException(Fault.CORRUPT, "cannot be decoded: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (compressor != null) {
      compressor.close();
    }
    if (decompressor != null) {
      decompressor.close();
    }
  }
}
