package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.LeaderFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.AtomicFile;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Fencing: only the leader that took over last may change a prefix directory. Several may believe that they lead. The
 * takeover writes a new {@link PrefixToken} into {@code .scr/leader.scr}; who acts by an older one is refused under the
 * lock. Blocking. Page: docs/flows/fencing.md.
 */
public final class PrefixFence {
  /** Who takes over to exclude leaders alone, and acts by no token. No leader has that id, but by chance. */
  private static final String COMMAND = "command";
  private static final String NOBODY = PrefixToken.id(0);

  private PrefixFence() {}

  /**
   * Takes over: a leader with an earlier token can change nothing any more. Waits for nobody: a node that gives names
   * right now holds it up.
   *
   * @param user who takes over; its own token, if it has one, does not matter
   * @param node name of the leader
   * @param id by chance ({@link PrefixToken#id})
   * @return the token, durably written
   * @throws LockHeldException where somebody has one of the locks
   * @throws ScrException NO_SPACE, IO: the directory has no new leader, or, where only the last sync failed, this one
   */
  public static PrefixToken takeOver(PrefixPaths paths, LockUser user, String node, String id) {
    LockUser anybody = new LockUser(user.holder(), user.files(), user.clock(), user.waiting());
    return new PrefixLock(paths, anybody).with(() -> PrefixLock.againstNames(paths, anybody)
        .with(() -> writeNext(paths, node, id)));
  }

  /**
   * Takes over from all leaders, for somebody who acts for none and writes over a file. A node of theirs may just have
   * given it its name, for a dataset that is not sealed yet: its flush is refused, and done again.
   *
   * @throws ScrException NO_SPACE, IO
   */
  static void revoke(PrefixPaths paths) {
    if (newest(paths).isPresent()) {                      // else no leader has a token that counts
      writeNext(paths, COMMAND, NOBODY);
    }
  }

  /** Under both locks. */
  private static PrefixToken writeNext(PrefixPaths paths, String node, String id) {
    PrefixToken token = new PrefixToken(newest(paths).map(PrefixToken::epoch).orElse(0L) + 1, node, id);
    AtomicFile.replace(paths.leaderFile(), LeaderFile.encode(token));
    return token;
  }

  /** The token of who took over last. A damaged file is as good as none: ids differ, for equal epochs too. */
  public static Optional<PrefixToken> newest(PrefixPaths paths) {
    try {
      return MetadataFiles.read(paths.leaderFile(), LeaderFile::decode);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * Gives names to files for a leader. Many nodes do so at the same time; no takeover happens meanwhile.
   *
   * @param user with the token of the leader that wants it
   * @throws ScrException TAKEN_OVER if there is a newer one: nothing was done
   */
  public static <T> T naming(PrefixPaths paths, LockUser user, Supplier<T> work) {
    return PrefixLock.ofNames(paths, user).with(work);
  }

  /** Requires a token to be the newest. Under one of the locks, else it may not be any more at once. */
  static void require(PrefixPaths paths, PrefixToken token) {
    Optional<PrefixToken> newest = newest(paths);
    if (newest.filter(token::equals).isEmpty()) {
      throw new ScrException(Fault.TAKEN_OVER, paths.prefix() + " was taken over: " + paths.leaderFile() + " says "
          + newest.map(PrefixToken::toString).orElse("nothing") + ", and this is the work of " + token);
    }
  }
}
