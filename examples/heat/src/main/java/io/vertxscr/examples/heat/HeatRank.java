package io.vertxscr.examples.heat;

import io.vertxscr.examples.heat.Checkpointing.CheckpointReader;
import io.vertxscr.examples.heat.Checkpointing.CheckpointWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One rank of the solver, from the picture or the newest checkpoint to the final field. Runs on the thread that calls
 * {@link #run}; an interrupt of that thread ends it with an exception at the next step or wait.
 */
public final class HeatRank {
  private final HeatOptions options;
  private final Checkpointing checkpoints;
  private final Consumer<HeatEvent> listener;
  private final long startNanos = System.nanoTime();
  private long computeNanos;

  /**
   * @param checkpoints closed by the caller in any case
   * @param listener called on the rank's thread
   */
  public HeatRank(HeatOptions options, Checkpointing checkpoints, Consumer<HeatEvent> listener) {
    this.options = options;
    this.checkpoints = checkpoints;
    this.listener = listener;
  }

  /**
   * Computes. When it returns on rank 0, every rank has written its part of the final field.
   *
   * @throws NeighbourLostException where a neighbour ended, or did not answer in time
   * @throws IOException where a file cannot be read or written
   */
  public void run() throws IOException {
    Block block = restart().orElse(null);
    if (block == null) {
      block = newBlock();
      Picture.load().fill(block);
    }
    try (Neighbours neighbours = Neighbours.join(options)) {
      listener.accept(new HeatEvent.Started(options.rank(), block.step(), System.nanoTime() - startNanos));
      compute(block, neighbours);
      long bytes = FinalField.writeBlock(options.output(), block);
      neighbours.written();
      listener.accept(new HeatEvent.Finished(options.rank(), block.step(), bytes, computeNanos));
    }
    checkpoints.finish();
  }

  private Block newBlock() {
    return new Block(options.problem().size(), options.rows());
  }

  private void compute(Block block, Neighbours neighbours) throws IOException {
    while (block.step() < options.problem().steps()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("rank " + options.rank() + ", step " + block.step() + ": interrupted");
      }
      long start = System.nanoTime();
      neighbours.exchange(block);
      block.advance();
      computeNanos += System.nanoTime() - start;
      if (options.problem().checkpointAfter(block.step())) {
        checkpoint(block);
      }
    }
  }

  /**
   * The newest checkpoint that every rank can read. A rank that cannot read its file makes all take the next older one.
   */
  private Optional<Block> restart() throws IOException {
    Set<String> refused = new HashSet<>();
    for (Optional<CheckpointReader> next = checkpoints.restart(); next.isPresent(); next = checkpoints.restart()) {
      CheckpointReader restart = next.get();
      if (!refused.add(restart.name())) {
        throw new IOException("rank " + options.rank() + ": checkpoint " + restart.name() + " is offered again,"
            + " although it was refused");
      }
      Block block = newBlock();
      boolean valid = read(restart, block);
      if (restart.complete(valid)) {
        return Optional.of(block);
      }
    }
    return Optional.empty();
  }

  private boolean read(CheckpointReader restart, Block block) {
    Path file = restart.route(fileName(restart.name()));
    try {
      BlockFile.read(file, block);
      if (block.step() > options.problem().steps() || !checkpointName(block.step()).equals(restart.name())) {
        throw new IOException(file + " holds step " + block.step() + " of " + options.problem().steps());
      }
      return true;
    } catch (IOException e) {
      System.err.println("rank " + options.rank() + " cannot use checkpoint " + restart.name() + ": " + e.getMessage());
      return false;
    }
  }

  /** A failed write of one rank makes the checkpoint invalid on all; the computation continues. */
  private void checkpoint(Block block) throws ClosedByInterruptException {
    long start = System.nanoTime();
    String name = checkpointName(block.step());
    CheckpointWriter output = checkpoints.start(name);
    Path file = output.route(fileName(name));
    boolean valid = true;
    try {
      BlockFile.write(file, block);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      System.err.println("rank " + options.rank() + " cannot write checkpoint " + file + ": " + e);
      valid = false;
    }
    if (output.complete(valid)) {
      long nanos = System.nanoTime() - start;
      listener.accept(new HeatEvent.Checkpointed(options.rank(), block.step(), BlockFile.bytes(block), nanos));
    }
  }

  private static String checkpointName(int step) {
    return "heat." + step;
  }

  private String fileName(String checkpoint) {
    return checkpoint + "/rank_" + options.rank() + ".heat";
  }
}
