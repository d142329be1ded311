package io.vertxscr.client;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * SCR for plain programs: every call waits for its answer, every failure is a {@link ScrException}.
 *
 * <pre>
 *   try (Scr scr = Scr.fromEnvironment()) {
 *     try (Restart restart = scr.restart().orElse(null)) {
 *       if (restart != null) {
 *         read(restart.route("rank-7.dat"));
 *         restart.complete(true);
 *       }
 *     }
 *     for (int step = 1; step &lt;= 100; step++) {
 *       compute();
 *       try (Output checkpoint = scr.startCheckpoint("step-" + step)) {
 *         write(checkpoint.route("ckpt/" + step + "/rank-7.dat"));
 *         checkpoint.complete(true);
 *       }
 *     }
 *     scr.finish();
 *   }
 * </pre>
 *
 * <p>All calls but {@code route} are collective: they wait until every rank of the run has made the same call. A rank
 * that is lost ends the wait of the others with {@link Fault#RANK_LOST}. Not for event loops, where calls are refused.
 * An interrupt does not end a call; {@link #close} from another thread does. Any thread, one collective call at a time.
 */
public final class Scr implements AutoCloseable {
  private final ScrClient client;
  private final Session session;

  private Scr(ScrClient client, Session session) {
    this.client = client;
    this.session = session;
  }

  /**
   * Connects to the daemon of this node and waits until all ranks of the run are there. While that takes long, one rank
   * says on standard error what the job waits for (SCR_INIT_NOTICE_SECONDS).
   */
  public static Scr open(ScrOptions options) {
    return open(client(options), options);
  }

  /** As {@link #open}, with what the environment says: that of mpirun, srun, flux, torchrun; {@link ScrOptions#of}. */
  public static Scr fromEnvironment() {
    return open(ScrOptions.of(System.getenv()));
  }

  /**
   * Returns the value set for a run with these options: environment, files, calls; else empty.
   *
   * @param query a parameter, such as {@code SCR_FLUSH}, or an entry and a field, such as {@code CKPT=0 TYPE}
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} for what {@link #open} would refuse
   */
  public static Optional<String> config(ScrOptions options, String query) {
    ScrClient client = client(options);
    try {
      return Blocking.call(() -> client.config(options, query));
    } finally {
      client.close();
    }
  }

  private static ScrClient client(ScrOptions options) {
    return options.enabled() ? ScrClient.connect(options.socket()) : ScrClient.idle();
  }

  public int rank() {
    return session.rank();
  }

  /** Size of the run. */
  public int ranks() {
    return session.ranks();
  }

  /** The node that serves this rank. */
  public String node() {
    return session.node();
  }

  /** Release of the node's program (SCR_Get_version). */
  public String version() {
    return session.version();
  }

  /**
   * Returns startup warnings, in sentences, such as a start without checkpoint although there are some. Rank 0 alone
   * has any; they have been said on standard error when they were heard.
   */
  public List<String> remarks() {
    return session.remarks();
  }

  /** Starts to read the checkpoint of the restart; empty if there is none. */
  public Optional<Restart> restart() {
    return Blocking.call(session::restart).map(Restart::new);
  }

  /** Starts a checkpoint. */
  public Output startCheckpoint(String name) {
    return startOutput(name, DatasetFlags.CHECKPOINT);
  }

  /** Starts a dataset. */
  public Output startOutput(String name, DatasetFlags flags) {
    return new Output(Blocking.call(() -> session.startOutput(Optional.of(name), flags)));
  }

  /** The name as it is; within a phase its own {@code route} says where files are. */
  public Path route(String name) {
    return Blocking.call(() -> session.route(name));
  }

  /**
   * Selects the checkpoint to restart from, instead of newer ones; see {@link Session#current}. Before {@link #restart}
   * it selects what that offers, after it, it declares what the application has restarted from by itself.
   */
  public void current(String name) {
    Blocking.call(() -> session.current(name));
  }

  /** Drops a dataset; its files in the prefix directory stay. */
  public void drop(String name) {
    Blocking.call(() -> session.drop(name));
  }

  /** Drops a dataset and deletes its files, in the caches and in the prefix directory. */
  public void delete(String name) {
    Blocking.call(() -> session.delete(name));
  }

  /** Whether a dataset is in the prefix directory, whole and durable; see {@link Session#flushed}. Not collective. */
  public boolean flushed(String name) {
    return Blocking.call(() -> session.flushed(name)).flushed();
  }

  /** Waits until it is; false for one that stays in the caches; see {@link Session#awaitFlush}. Not collective. */
  public boolean awaitFlush(String name) {
    return Blocking.call(() -> session.awaitFlush(name));
  }

  /** Whether the program is to end: the same for the n-th such call of every rank. See {@link Session#shouldExit}. */
  public boolean shouldExit() {
    return Blocking.call(session::shouldExit).exit();
  }

  /**
   * Whether a checkpoint should be written: the same for the n-th such call of every rank. Not within a restart. Rank 0
   * says on standard error what the answers come from, with the first.
   */
  public boolean needCheckpoint() {
    return Blocking.call(session::needCheckpoint);
  }

  private static void say(String remark) {
    System.err.println("scr: " + Names.printable(remark));
  }

  /** Finalizes the rank; the last call before {@link #close}. */
  public void finish() {
    Blocking.call(session::finish);
  }

  /**
   * Ends the run, because this rank cannot go on; {@link #close} follows. Where another rank or a node has ended within
   * a second, all ranks are told that; else this cause.
   *
   * @param cause for people: one line, such as the type and text of an exception
   */
  public void abort(String cause) {
    Blocking.call(() -> session.abort(cause));
  }

  /**
   * Closes the connection, without waiting. Before {@link #finish} this makes the rank a lost one, which ends the run.
   */
  @Override
  public void close() {
    client.close();
  }

  /** Opens a session over an existing client, of a node in this process or cluster. The socket is not used. */
  public static Scr open(ScrClient client, ScrOptions options) {
    try {
      Session session = Blocking.call(() -> client.init(options.init()), options.initNoticeSeconds(),
          waitedSeconds -> client.initWait(waitedSeconds).thenAccept(remarks -> remarks.forEach(Scr::say)));
      session.remarks().forEach(Scr::say);
      session.onRemark(Scr::say);
      return new Scr(client, session);
    } catch (ScrException e) {
      client.close();
      throw e;
    }
  }
}
