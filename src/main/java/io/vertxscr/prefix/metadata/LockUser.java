package io.vertxscr.prefix.metadata;

import io.vertxscr.model.PrefixToken;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Who takes the lock of a prefix directory.
 *
 * @param holder what others are told who do not get the lock, such as the node's name
 * @param files of the process, which know whether another part of it has the lock
 * @param clock says since when it is held
 * @param waiting what it does while somebody else has it
 * @param token by which it acts, if it acts for a leader: nothing is done under the lock unless it is still the newest
 */
public record LockUser(
    String holder, LocalFiles files, Clock clock, Waiting waiting, Optional<PrefixToken> token) {
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

  public LockUser {
    holder = CONTROL.matcher(holder).replaceAll(" ");
  }

  /** Acts for no leader: a command, or a change that any node may make. */
  public LockUser(String holder, LocalFiles files, Clock clock, Waiting waiting) {
    this(holder, files, clock, waiting, Optional.empty());
  }

  /** Tries once: on a loop, which can wait by itself; see {@code service.LockedJobs}. */
  public LockUser(String holder, LocalFiles files, Clock clock) {
    this(holder, files, clock, (held, _) -> {
      throw held;
    });
  }

  /** The same, acting for the leader that has this token. */
  public LockUser with(PrefixToken held) {
    return new LockUser(holder, files, clock, waiting, Optional.of(held));
  }

  /** What one does who has not got the lock. */
  @FunctionalInterface
  public interface Waiting {
    /**
     * Returns when it is to be tried again; else throws.
     *
     * @param tries made so far
     */
    void after(LockHeldException held, int tries);
  }
}
