package io.vertxscr.load;

import io.vertxscr.client.Output;
import io.vertxscr.client.Scr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Checkpoints of one or more files of each rank. Starting and writing stand outside of what is measured. */
final class Checkpoints {
  private static final int PIECE_BYTES = 1 << 20;
  private static final double NOISE = 1e-4;

  private final Ranks ranks;
  private final Path prefix;
  private final long bytes;
  private final int files;
  private final Map<Integer, Output> open = new ConcurrentHashMap<>();
  private int step;
  private volatile int dataset;
  private boolean field;

  /** One file for each rank. */
  Checkpoints(Ranks ranks, Path prefix, long bytes, int lastStep) {
    this(ranks, prefix, bytes, lastStep, 1);
  }

  /**
   * @param bytes of each file
   * @param files of each rank
   */
  Checkpoints(Ranks ranks, Path prefix, long bytes, int lastStep, int files) {
    this.ranks = ranks;
    this.prefix = prefix;
    this.bytes = bytes;
    this.step = lastStep;
    this.files = files;
  }

  /** Switches the files to a smooth field of numbers. Of single precision, as doubles, noisy in the last digits. */
  Checkpoints ofField() {
    field = true;
    return this;
  }

  int step() {
    return step;
  }

  /** Id of the newest. */
  int dataset() {
    return dataset;
  }

  /** Starts a checkpoint; returns its duration. */
  double start() throws Exception {
    step++;
    double seconds = ranks.all(scr -> open.put(scr.rank(), scr.startCheckpoint("step-" + step)));
    dataset = open.get(0).dataset();
    return seconds;
  }

  /** Writes every rank's files. */
  void write() throws Exception {
    ranks.all(scr -> {
      for (int file = 0; file < files; file++) {
        String name = file(scr) + (file == 0 ? "" : "." + file);
        fill(open.get(scr.rank()).route(name), scr.rank() * 1000L + step + ((long) file << 32));
      }
    });
  }

  /** Completes it; returns how long that took. */
  double complete() throws Exception {
    return ranks.all(scr -> open.remove(scr.rank()).complete(true));
  }

  private Path file(Scr scr) {
    return prefix.resolve("ckpt." + step).resolve(Daemons.file(scr.rank()));
  }

  /** Writes a file of bytes that follow from the seed. */
  private void fill(Path path, long seed) throws IOException {
    byte[] bytesOfPiece = new byte[(int) Math.min(PIECE_BYTES, bytes)];
    new Random(seed).nextBytes(bytesOfPiece);
    ByteBuffer piece = ByteBuffer.allocateDirect(bytesOfPiece.length).put(bytesOfPiece);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (long done = 0; done < bytes; done += piece.capacity()) {
        piece.clear().limit((int) Math.min(piece.capacity(), bytes - done));
        if (field) {
          fillField(piece, seed + done);
        } else if (piece.limit() > Long.BYTES) {
          piece.putLong(0, done ^ seed);               // no two pieces are equal
        }
        while (piece.hasRemaining()) {
          channel.write(piece);
        }
      }
    }
  }

  private static void fillField(ByteBuffer piece, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double slope = random.nextDouble();
    ByteBuffer values = piece.duplicate().order(ByteOrder.nativeOrder());
    int count = piece.limit() / Double.BYTES;
    for (int i = 0; i < count; i++) {
      double at = (double) i / count;
      values.putDouble((float) (1 + slope * at * (1 - at) + NOISE * random.nextDouble()));
    }
  }
}
