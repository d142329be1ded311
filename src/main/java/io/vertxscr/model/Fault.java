package io.vertxscr.model;

/**
 * Expected failures of callers, with their numbers on the wire.
 *
 * <p>Numbers never change their meaning and are never used again. {@link #retry} says whether the very same call may
 * succeed later without anybody changing anything.
 */
public enum Fault {
  /** A bug on our side; the daemon's log has the stack. */
  INTERNAL(1, false),
  /** A message lacks a field, or a field is out of its range. */
  BAD_REQUEST(2, false),
  /** The call is not legal in the rank's state. */
  WRONG_STATE(3, false),
  /** No such rank in this run, or not on this node. */
  UNKNOWN_RANK(4, false),
  /** Two processes claim the same rank. */
  DUPLICATE_RANK(5, false),
  /** Ranks differ in what must be the same everywhere (size, name, flags, order of calls). */
  RANKS_DISAGREE(6, false),
  /** A path resolves to a place outside the prefix directory. */
  OUTSIDE_PREFIX(7, false),
  /** No file by that name in the dataset that is being read. */
  NO_SUCH_FILE(8, false),
  /** No dataset with that id or name. */
  NO_SUCH_DATASET(9, false),
  /** Another run is in progress in this cluster. */
  RUN_IN_PROGRESS(10, true),
  /** A process of the run ended without finalize. */
  RANK_LOST(11, false),
  /** A node of the run left the cluster. */
  NODE_LOST(12, false),
  /** A queue is full; nothing was done. */
  BUSY(13, true),
  /** No answer in time: whether the call took effect is unknown. Ask again. */
  TIMEOUT(14, true),
  /** The file system has no room. */
  NO_SPACE(15, true),
  /** Any other error of the operating system on a file. */
  IO(16, true),
  /** Bytes do not have the checksum or the form that they should have. */
  CORRUPT(17, false),
  /** More members of a redundancy set are lost than its scheme can replace. */
  TOO_MANY_LOST(18, false),
  /** A file changed between complete-output and the end of its protection. */
  FILE_CHANGED(19, false),
  /** The application said that its files are not valid. */
  NOT_VALID(20, false),
  /** Peer does not know the secret of the cluster. */
  NOT_AUTHORIZED(21, false),
  /** The node is stopping and takes no new phase. */
  STOPPING(22, true),
  /** A node with this name is already a member. */
  DUPLICATE_NODE(23, false),
  /** An entry of the configuration is unknown or malformed. */
  BAD_CONFIGURATION(24, false),
  /** The sender is not, or no longer, the leader of the cluster. */
  NOT_LEADER(25, true),
  /** The run is to stop, or must not begin: a halt condition holds. */
  HALTED(26, false),
  /** A halt condition forbids a run, and the configuration wants its processes to exit. */
  HALT_EXIT(27, false),
  /** Another leader has taken over the prefix directory since. Between daemons: no application is told so. */
  TAKEN_OVER(28, true);

  private final int number;
  private final boolean retry;

  Fault(int number, boolean retry) {
    this.number = number;
    this.retry = retry;
  }

  /** The number that travels as the failure code of a reply. */
  public int number() {
    return number;
  }

  /** Whether a retry of the same call may succeed without any change by the user. */
  public boolean retry() {
    return retry;
  }

  /** The fault with this number; {@link #INTERNAL} for numbers that this version does not know. */
  public static Fault of(int number) {
    for (Fault fault : values()) {
      if (fault.number == number) {
        return fault;
      }
    }
    return INTERNAL;
  }

  /** Returns the fault of a failure; {@link #INTERNAL} for an unexpected one. */
  public static Fault of(Throwable failure) {
    return failure instanceof ScrException known ? known.fault() : INTERNAL;
  }
}
