package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.StartReply;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * A dataset that is being written, or read in a restart. After {@link #complete} was answered all its calls fail with
 * {@link Fault#WRONG_STATE}. Any thread.
 */
public final class Phase {
  private final Session session;
  private final Verb completeVerb;
  private final StartReply started;

  Phase(Session session, Verb completeVerb, StartReply started) {
    this.session = session;
    this.completeVerb = completeVerb;
    this.started = started;
  }

  /** Id of the dataset. */
  public int dataset() {
    return started.dataset();
  }

  /** Name of the dataset. */
  public String name() {
    return started.name();
  }

  /** The rank's directory in the cache. Information only: files are placed by {@link #route}. */
  public Path directory() {
    return Path.of(started.directory());
  }

  /**
   * Returns the path at which to write or read a file; its directory exists. Not collective; any number at once.
   *
   * @param name as the application calls it; relative names start in the working directory of the process. In a restart
   *     its last component is enough where only one file has it
   */
  public CompletableFuture<Path> route(String name) {
    return session.route(this, name);
  }

  /** Number of ranks that wrote the checkpoint, if it has shards. Then every rank may read every file of it. */
  public OptionalInt writers() {
    return started.writers();
  }

  /**
   * Returns where a range of any rank's file is on this node, until the phase is complete. In a restart from shards
   * (docs/flows/shards.md). Not collective; any number at once.
   */
  public CompletableFuture<ShardReply> shard(ShardRange range) {
    return session.shard(this, range);
  }

  /**
   * Completes the phase; the rank's files must be closed. Collective. When it is answered, well or not, the phase is
   * over; only after {@link Fault#TIMEOUT}, {@link Fault#BUSY}, {@link Fault#STOPPING}, {@link Fault#RANKS_DISAGREE}
   * and calls that were refused for this rank alone it is still open.
   *
   * <p>If the run is to stop, the answer says why; with SCR_HALT_EXIT=1 the rank then finalizes, and the call
   * fails with {@link Fault#HALTED}, although the dataset is complete: the process is to end.
   *
   * @param valid whether the rank wrote, or read, all of its files without error
   */
  public CompletableFuture<CompleteReply> complete(boolean valid) {
    return session.complete(this, valid);
  }

  /** Whether it can still be completed. */
  public boolean isOpen() {
    return session.isOpen(this);
  }

  Verb completeVerb() {
    return completeVerb;
  }

  @Override
  public String toString() {
    return "dataset " + dataset() + " '" + name() + "'";
  }
}
