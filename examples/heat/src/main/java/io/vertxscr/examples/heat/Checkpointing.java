package io.vertxscr.examples.heat;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Checkpoint interface of the solver; one object per rank, used by the rank's thread. All calls but
 * {@link CheckpointWriter#route} and {@link CheckpointReader#route} are collective: they return when every rank of the
 * run has made them, and throw when a rank or node of the run was lost.
 */
public interface Checkpointing extends AutoCloseable {
  /** The newest checkpoint to start from, the same for every rank; empty where there is none. */
  Optional<CheckpointReader> restart();

  /** Starts a checkpoint. */
  CheckpointWriter start(String name);

  /** Finalizes the run. */
  void finish();

  /**
   * Releases everything; without {@link #finish} before it, this rank counts as lost. From any thread, more than once;
   * a call that waits ends with an exception.
   */
  @Override
  void close();

  /** A checkpoint that is being read. */
  interface CheckpointReader {
    String name();

    /** Returns the current path of a file; {@code file} is the name it was written under. */
    Path route(String file);

    /**
     * Completes the read.
     *
     * @return whether every rank called its file valid; where not, ask for the next older one with {@link #restart}
     */
    boolean complete(boolean valid);
  }

  /** A checkpoint that is being written. */
  interface CheckpointWriter {
    /** Returns the path at which to write the file; {@code file} is relative to the prefix directory. */
    Path route(String file);

    /**
     * Completes the write; returns when the checkpoint is protected.
     *
     * @return whether there is such a checkpoint now; where not, the one before it is still the newest, and the run
     *   goes on
     */
    boolean complete(boolean valid);
  }

  /** For runs without a checkpoint system: nothing to restart from, and nothing may be written. */
  static Checkpointing none() {
    return new Checkpointing() {
      @Override
      public Optional<CheckpointReader> restart() {
        return Optional.empty();
      }

      @Override
      public CheckpointWriter start(String name) {
        throw new IllegalStateException("checkpoint " + name + ": this run has no checkpoint system");
      }

      @Override
      public void finish() {}

      @Override
      public void close() {}
    };
  }
}
