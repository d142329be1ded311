package io.vertxscr.storage.object;

import io.vertxscr.storage.object.ObjectStore.Condition;
import io.vertxscr.storage.object.ObjectStore.ConditionFailedException;
import io.vertxscr.storage.object.ObjectStore.Found;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Locks of lock files, as objects with a lease beside them.
 * <pre>
 *   x.lock.lease        who has it exclusively, or "free"; changed only if it is the version that was read
 *   x.lock.lease.ID     one for each that shares it
 *
 *   exclusive: take x.lock.lease, then look for sharers; give it back where there is a live one
 *   shared:    make x.lock.lease.ID, then look at x.lock.lease; remove it again where that is held and alive
 * </pre>
 * Each writes first and looks then, so of two that cannot both have it at least one sees the other. A lease is
 * renewed while it is held, which changes its version. Others take it for dead when they have seen one version for
 * longer than {@link #DEAD}, each by its own clock; its holder counts it as lost {@link #VALID} after it sent the last
 * renewal that succeeded, which is sooner. No clocks are compared. Thread-safe.
 */
final class LockLeases {
  /** How often they are to be renewed. */
  static final Duration RENEWAL = Duration.ofSeconds(5);
  private static final Duration VALID = Duration.ofSeconds(15);
  private static final Duration DEAD = Duration.ofSeconds(20);
  private static final String LEASE = ".lease";
  private static final String FREE = "free";
  private static final int MOST_BYTES = 512;
  private static final int MOST_SHARERS = Integer.MAX_VALUE;

  private final ObjectStore store;
  private final LongSupplier nanos;
  private final Supplier<String> ids;
  private final Set<Lease> held = ConcurrentHashMap.newKeySet();
  private final Map<String, Sighted> sighted = new ConcurrentHashMap<>();

  /** A version of somebody else's lease, and since when this process has seen no other one. */
  private record Sighted(String etag, long sinceNs) {}

  LockLeases(ObjectStore store, LongSupplier nanos, Supplier<String> ids) {
    this.store = store;
    this.nanos = nanos;
    this.ids = ids;
  }

  /** Whether a name in a directory is that of a lease, which is no file. */
  static boolean isLease(String name) {
    return name.endsWith(".lock" + LEASE) || name.contains(".lock" + LEASE + ".");
  }

  /** A lock that this process holds. */
  final class Lease {
    private final String key;
    private final String lockFile;
    private final String id = ids.get();
    private final boolean shared;
    private final Thread thread = Thread.currentThread();
    /** Versions of files that its thread has read under it; empty: there was none. Of that thread alone. */
    private final Map<String, Optional<String>> read = new HashMap<>();
    private String etag = "";
    private long validUntilNs;
    private int count;
    private boolean lost;

    private Lease(String lockFile, boolean shared) {
      this.lockFile = lockFile;
      this.shared = shared;
      this.key = lockFile + LEASE + (shared ? "." + id : "");
    }

    private synchronized boolean write(Condition condition) throws IOException {
      long sent = nanos.getAsLong();
      count++;
      try {
        etag = put(key, id + " " + count, condition).etag();
        validUntilNs = sent + VALID.toNanos();
        return true;
      } catch (ConditionFailedException _) {
        return false;
      }
    }

    synchronized boolean isValid() {
      return !lost && validUntilNs - nanos.getAsLong() > 0;
    }

    private synchronized void renew() {
      if (!isValid()) {
        lost = true;
        return;
      }
      try {
        lost = !write(new Condition.Unchanged(etag));
      } catch (IOException _) {
        // the next renewal may succeed; else it is lost when its time is over
      }
    }

    /** Gives it back, if it is still this one's. */
    synchronized void release() throws IOException {
      held.remove(this);
      lost = true;
      if (shared) {
        store.delete(key);                                // nobody else ever has this name
      } else if (!etag.isEmpty()) {
        try {
          put(key, FREE + " after " + id, new Condition.Unchanged(etag));
        } catch (ConditionFailedException _) {
          // another one has it: the lease was over
        }
      }
    }
  }

  private Found put(String key, String text, Condition condition) throws IOException {
    return ObjectFiles.put(store, key, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), Map.of(), condition);
  }

  /** Tries to get a lock; empty where somebody else has it, or may have it. */
  Optional<Lease> take(String lockFile, boolean shared) throws IOException {
    Lease lease = new Lease(lockFile, shared);
    boolean taken = shared ? lease.write(Condition.ABSENT) : takeExclusive(lease);
    if (!taken) {
      return Optional.empty();
    }
    boolean free = false;
    try {
      free = (shared ? isFree(lockFile + LEASE) : hasNoSharers(lockFile)) && lease.isValid();
    } finally {
      if (free) {
        held.add(lease);
      } else {
        lease.release();
      }
    }
    return free ? Optional.of(lease) : Optional.empty();
  }

  private boolean takeExclusive(Lease lease) throws IOException {
    Optional<Found> found = store.head(lease.key);
    if (found.isEmpty()) {
      return lease.write(Condition.ABSENT);
    }
    return (isDead(found.get()) || isMarkedFree(found.get()))
        && lease.write(new Condition.Unchanged(found.get().etag()));
  }

  private boolean isFree(String key) throws IOException {
    Optional<Found> found = store.head(key);
    return found.isEmpty() || isMarkedFree(found.get())
        || isDead(found.get()) && free(found.get());
  }

  private boolean free(Found dead) throws IOException {
    try {
      put(dead.key(), FREE + " after a death", new Condition.Unchanged(dead.etag()));
      return true;
    } catch (ConditionFailedException _) {
      return false;                                       // it lives, or somebody else was faster
    }
  }

  private boolean hasNoSharers(String lockFile) throws IOException {
    for (Found sharer : store.list(lockFile + LEASE + ".", false, MOST_SHARERS).objects()) {
      if (!isDead(sharer) || !free(sharer)) {
        return false;
      }
      store.delete(sharer.key());
      sighted.remove(sharer.key());
    }
    return true;
  }

  private boolean isMarkedFree(Found found) throws IOException {
    try {
      String text = new String(store.get(found.key(), found.etag(), 0, (int) Math.min(found.bytes(), MOST_BYTES)),
          StandardCharsets.UTF_8);
      return text.startsWith(FREE + " ");
    } catch (ConditionFailedException | NoSuchFileException _) {
      return false;
    }
  }

  private boolean isDead(Found found) {
    long now = nanos.getAsLong();
    Sighted seen = sighted.merge(found.key(), new Sighted(found.etag(), now),
        (before, after) -> before.etag.equals(after.etag) ? before : after);
    return now - seen.sinceNs > DEAD.toNanos();
  }

  /** Renews all that are held. To be called every {@link #RENEWAL}. */
  void renew() {
    held.forEach(Lease::renew);
  }

  /** @throws FileSystemException naming a lock that was lost while this process held it: it changes nothing then */
  void requireValid() throws IOException {
    for (Lease lease : held) {
      if (!lease.isValid()) {
        throw new FileSystemException(lease.lockFile, null,
            "the lock was lost: it could not be renewed in time, and another process may have it");
      }
    }
  }

  /** The calling thread has read a file; what it writes under its locks depends on that. */
  void saw(String key, Optional<String> etag) {
    for (Lease lease : held) {
      if (isOfThisThread(lease)) {
        lease.read.put(key, etag);
      }
    }
  }

  private static boolean isOfThisThread(Lease lease) {
    return !lease.shared && lease.thread.equals(Thread.currentThread());
  }

  /** On what a replacement by the calling thread depends. */
  Condition condition(String key) throws IOException {
    Optional<Lease> lease = held.stream().filter(LockLeases::isOfThisThread).findFirst();
    if (lease.isEmpty()) {
      return Condition.ANYHOW;
    }
    Optional<String> etag = lease.get().read.get(key);
    if (etag == null) {
      etag = store.head(key).map(Found::etag);
    }
    return etag.<Condition>map(Condition.Unchanged::new).orElse(Condition.ABSENT);
  }
}
