package io.vertxscr.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Frames with defects, made of frames that are as they should be. Knows of which records a frame is made, and where
 * their lengths are: records are repeated, left out and put in another order, lengths are changed. The same seed makes
 * the same defects. Not thread-safe.
 */
public final class Defects {
  private static final long[] LENGTHS =
      {0, 1, -1, 1024, 16 << 20, (16 << 20) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE};
  private static final int MOST_DEFECTS = 3;
  private static final int LONGEST_INSERT = 300;
  private static final int KINDS = 10;

  private final List<List<Part>> samples;
  private final SplittableRandom random;

  /** Where a record has a length, big-endian, in so many bytes. */
  public record Length(int at, int bytes) {}

  /** A record of a frame. */
  public record Part(byte[] bytes, List<Length> lengths) {
    /** One without lengths, or of a length in four bytes, or more of them, at these places. */
    public static Part of(byte[] bytes, int... lengths) {
      return new Part(bytes, Arrays.stream(lengths).mapToObj(at -> new Length(at, Integer.BYTES)).toList());
    }
  }

  /** @param samples frames without a defect, each of its records */
  public Defects(List<List<Part>> samples, long seed) {
    this.samples = samples;
    this.random = new SplittableRandom(seed);
  }

  /** The first sample. */
  byte[] real() {
    return joined(samples.getFirst());
  }

  /** The next frame; one of four is as it should be. */
  public byte[] next() {
    List<Part> parts = new ArrayList<>(samples.get(random.nextInt(samples.size())));
    for (int defects = random.nextInt(MOST_DEFECTS + 1); defects > 0; defects--) {
      int at = parts.isEmpty() ? 0 : random.nextInt(parts.size());
      switch (parts.isEmpty() ? KINDS : random.nextInt(KINDS)) {
        case 0 -> parts.add(at, parts.get(random.nextInt(parts.size())));
        case 1 -> parts.remove(at);
        case 2 -> Collections.swap(parts, at, random.nextInt(parts.size()));
        case 3, 4 -> parts.set(at, relengthened(parts.get(at)));
        case KINDS -> {}
        default -> parts.set(at, changed(parts.get(at)));
      }
    }
    return joined(parts);
  }

  /** Returns a record that claims another length. */
  private Part relengthened(Part part) {
    if (part.lengths.isEmpty()) {
      return changed(part);
    }
    Length length = part.lengths.get(random.nextInt(part.lengths.size()));
    if (length.at + length.bytes > part.bytes.length) {
      return part;                                        // another defect has cut it off
    }
    byte[] bytes = part.bytes.clone();
    long claimed = random.nextBoolean() ? LENGTHS[random.nextInt(LENGTHS.length)]
        : bytes[length.at + length.bytes - 1] + random.nextInt(-3, 4);
    for (int i = length.bytes - 1; i >= 0; i--) {
      bytes[length.at + i] = (byte) claimed;
      claimed >>= Byte.SIZE;
    }
    return new Part(bytes, part.lengths);
  }

  private Part changed(Part part) {
    if (part.bytes.length == 0) {
      return part;
    }
    byte[] bytes = part.bytes.clone();
    int at = random.nextInt(bytes.length);
    int to = at + random.nextInt(bytes.length - at) + 1;
    switch (random.nextInt(6)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      case 1 -> bytes[at] = (byte) random.nextInt(256);
      case 2 -> bytes = Arrays.copyOf(bytes, at);
      case 3 -> bytes = joined(Arrays.copyOf(bytes, to), Arrays.copyOfRange(bytes, at, bytes.length));
      case 4 -> bytes = joined(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, to, bytes.length));
      default -> {
        byte[] noise = new byte[random.nextInt(LONGEST_INSERT)];
        random.nextBytes(noise);
        bytes = joined(Arrays.copyOf(bytes, at), noise, Arrays.copyOfRange(bytes, at, bytes.length));
      }
    }
    return new Part(bytes, part.lengths);
  }

  private static byte[] joined(List<Part> parts) {
    return joined(parts.stream().map(Part::bytes).toArray(byte[][]::new));
  }

  private static byte[] joined(byte[]... parts) {
    byte[] all = new byte[Stream.of(parts).mapToInt(part -> part.length).sum()];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }
}
