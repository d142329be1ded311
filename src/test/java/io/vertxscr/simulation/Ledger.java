package io.vertxscr.simulation;

import io.vertxscr.model.DatasetFlags;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** What the ranks have written, what they were told of it, and how its bytes are known again. */
final class Ledger {
  private static final int HEADER_BYTES = 16;

  private final int ranks;
  private final List<Attempt> attempts = new ArrayList<>();
  /** By attempt, rank and number: each file is looked at many times. */
  private final Map<List<Integer>, byte[]> contents = new HashMap<>();

  /** A dataset that some ranks began to write. */
  static final class Attempt {
    final int number;
    final int run;
    final int step;
    final DatasetFlags flags;
    final Set<Integer> called = new TreeSet<>();
    boolean acknowledged;
    boolean flushed;

    Attempt(int number, int run, int step, DatasetFlags flags) {
      this.number = number;
      this.run = run;
      this.step = step;
      this.flags = flags;
    }

    boolean isCheckpoint() {
      return flags.checkpoint();
    }

    @Override
    public String toString() {
      return "step-" + step + " of run " + run;
    }
  }

  Ledger(int ranks) {
    this.ranks = ranks;
  }

  /** The attempt of a run at a step; the first rank that asks begins it. */
  Attempt attempt(int run, int step, DatasetFlags flags) {
    return find(run, step).orElseGet(() -> {
      Attempt added = new Attempt(attempts.size(), run, step, flags);
      attempts.add(added);
      return added;
    });
  }

  Optional<Attempt> find(int run, int step) {
    for (Attempt attempt : attempts) {
      if (attempt.run == run && attempt.step == step) {
        return Optional.of(attempt);
      }
    }
    return Optional.empty();
  }

  /** Whether all ranks have called it valid: else nobody may ever publish or offer it. */
  boolean mayBeComplete(Attempt attempt) {
    return attempt.called.size() == ranks;
  }

  /** Whether another dataset of its name may have taken its place. @param inPlace whether ranks write over its files */
  boolean mayBeReplaced(Attempt attempt, boolean inPlace) {
    return attempts.stream().anyMatch(other ->
        other.step == attempt.step && other.number > attempt.number && (inPlace || mayBeComplete(other)));
  }

  List<Attempt> attempts() {
    return attempts;
  }

  /** Bytes of a file; not to be changed. */
  byte[] bytes(Attempt attempt, int rank, int file) {
    return contents.computeIfAbsent(List.of(attempt.number, rank, file), _ -> drawn(attempt, rank, file));
  }

  private static byte[] drawn(Attempt attempt, int rank, int file) {
    Random random = new Random(attempt.run * 1_000_003L + attempt.step * 10_007L + rank * 101L + file);
    byte[] bytes = new byte[HEADER_BYTES + random.nextInt(random.nextInt(4) == 0 ? 6_000 : 600)];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(attempt.run).putInt(attempt.step).putInt(rank).putInt(file);
    return bytes;
  }

  /** Whose bytes they are, every one of them; empty: of no attempt. */
  Optional<Attempt> whose(byte[] read, int rank, int file) {
    if (read.length < HEADER_BYTES) {
      return Optional.empty();
    }
    ByteBuffer header = ByteBuffer.wrap(read);
    return find(header.getInt(), header.getInt())
        .filter(attempt -> Arrays.equals(read, bytes(attempt, rank, file)));
  }
}
