package io.vertxscr.protocol.node;

import java.util.Locale;

/** Requests between nodes. The address is {@code scr.<node>.node.<verb>}. */
public enum NodeVerb {
  /** To the leader: these ranks are here. */
  JOIN,
  /** To the leader: this rank's process is gone. */
  LOST,
  /** To the leader: my part of a gather; answered when all parts are there and the result is known. */
  GATHER,
  /** To the leader: what may I answer to should-exit or need-checkpoint by myself? */
  ADVICE,
  /** From the leader: answer nothing further of that by yourself. */
  ADVICE_WITHDRAW,
  /** To the leader: returns the open waits. */
  WAITS,
  /** To the leader: an operator wants this of a dataset. */
  OPERATE,
  /** To the leader: an operator wants this node drained, or asks how far it is. */
  DRAIN,
  /** From the leader: take no run and no data of others from now on, or again. */
  DRAIN_MARK,
  /** From an application that is a member of the cluster: this client of mine has ended. */
  CLIENT_CLOSED,
  /** Between nodes: asks whether the loop turns and the storage answers. Sent while somebody waits for the node. */
  PULSE,
  /** From a new leader: what do you know of the run? */
  TAKEOVER,
  /** From the leader: file and variables that the settings of rank 0 refer to, which waits here. */
  CONFIGURED,
  /** Between nodes: what was in this configuration file when your last run began? */
  USER_FILE,
  /** From the leader: the run has begun. */
  RUN_BEGIN,
  /** From the leader: the run is over, and why. */
  RUN_OVER,
  /** From the leader: can the run use these stores on this node? */
  STORES,
  /** Between nodes: how much space do the stores have that you use? */
  SPACE,
  /** Between nodes: which events have you published? */
  EVENTS,
  /**
   * Between nodes: claims paths of local ranks at the owner of their hashes. Returns those claimed before elsewhere.
   */
  CLAIM_PATHS,
  /** From the leader: what do you hold? */
  INVENTORY,
  /** From the leader: check what you hold of a dataset against its checksums. */
  VERIFY,
  /** From the leader: bring these ranks' files here. */
  RESTORE,
  /** From the leader: fetch these ranks' files from the prefix directory. What the cache holds stays beside them. */
  FETCH,
  /** From the leader: all nodes have fetched their parts, use them. */
  FETCH_COMMIT,
  /** From the leader: some node could not fetch its part, discard yours. */
  FETCH_DISCARD,
  /** From the leader: delete these datasets. */
  DROP,
  /** To the leader: parts of a dataset have failed their check here, have them made again. */
  REPAIR,
  /** From the leader: make these parts again, beside what is there. */
  MEND,
  /** Between nodes: when did you read what, and what was found? Or: read everything now. */
  SCRUB,
  /** To the leader: which published datasets were read, and what was found? Or: read them all now. */
  PUBLISHED,
  /** To the leader: a dataset is on stable storage here; answered when it is so on all nodes of the run. */
  SYNCED,
  /** From the leader: compute the redundancy that is missing. */
  PROTECT,
  /** From the leader: all have computed it, use it. What is here of ranks that are elsewhere now stays. */
  PROTECT_COMMIT,
  /** From the leader: all use it, give up what is here of ranks that are elsewhere now. */
  PROTECT_DONE,
  /** From the leader, which holds a lock of a prefix directory: is it refused to you? */
  TRY_LOCK,
  /** From the leader: copy to drafts in the prefix directory. */
  FLUSH_COPY,
  /** To the leader: how many may write here, and how fast? */
  FLUSH_SHARE,
  /** To the leader: has this dataset reached the prefix directory? */
  FLUSH_STATE,
  /** To the leader: a rank is about to write over this file, past the cache. */
  OVERWRITE,
  /** From the leader: rename the drafts. */
  FLUSH_PUBLISH,
  /** From the leader: write your parts of the rank2file map. */
  FLUSH_MAP,
  /** How long are these ranks' files in the prefix directory, where they are compressed? */
  FLUSH_SIZES,
  /** From the leader: how many bytes these ranks' files have, for containers. */
  AGGREGATE_MEASURE,
  /** From the leader: copy into draft containers in the prefix directory. */
  AGGREGATE,
  /** From the leader: rename the draft containers. */
  AGGREGATE_PUBLISH,
  /** Between nodes: files of these ranks, and where they are in containers. */
  AGGREGATE_ENTRIES,
  /** From the leader: bring these ranks' files here from containers in the prefix directory. */
  UNPACK,
  /** From the leader: the dataset is in the prefix directory. */
  FLUSHED,
  /** Between nodes: the files of these ranks, as registered, and the names of their redundancy files. */
  LAYOUT,
  /** Between nodes: header of a redundancy file, which describes the files of the left neighbours. */
  HEADER,
  /**
   * Between nodes: asks for checksums and for the place of parity computed for the asker. The checksums are those that
   * the asked node computed while reading these ranks' files; answered after all reads. Answered after all reads.
   */
  CHECKSUMS;

  /** Whether a node whose storage hangs cannot be expected to answer it. */
  public boolean needsStorage() {
    return !isForLeader() && this != TAKEOVER && this != RUN_OVER && this != ADVICE_WITHDRAW && this != CLIENT_CLOSED
        && this != EVENTS && this != USER_FILE;
  }

  /** Whether only the leader answers it. */
  public boolean isForLeader() {
    return this == JOIN || this == LOST || this == GATHER || this == ADVICE || this == WAITS
        || this == FLUSH_SHARE || this == FLUSH_STATE || this == OVERWRITE || this == SYNCED || this == REPAIR
        || this == OPERATE || this == DRAIN || this == PUBLISHED;
  }

  /** Whether only the leader may send it. Without number and name of a leadership it is refused. */
  public boolean isFromLeader() {
    return switch (this) {
      case ADVICE_WITHDRAW, DRAIN_MARK, CONFIGURED, RUN_BEGIN, RUN_OVER, STORES, VERIFY, RESTORE, FETCH, FETCH_COMMIT,
          FETCH_DISCARD, DROP, MEND, PROTECT, PROTECT_COMMIT, PROTECT_DONE, TRY_LOCK, FLUSH_COPY, FLUSH_PUBLISH,
          FLUSH_MAP, AGGREGATE, AGGREGATE_PUBLISH, UNPACK, FLUSHED -> true;
      case JOIN, LOST, GATHER, ADVICE, WAITS, OPERATE, DRAIN, CLIENT_CLOSED, PULSE, TAKEOVER, USER_FILE, SPACE, EVENTS,
          CLAIM_PATHS, INVENTORY, REPAIR, SCRUB, PUBLISHED, SYNCED, FLUSH_SHARE, FLUSH_STATE, OVERWRITE, FLUSH_SIZES,
          AGGREGATE_MEASURE, AGGREGATE_ENTRIES, LAYOUT, HEADER, CHECKSUMS -> false;
    };
  }

  /** Whether a copy that comes when the call has been answered must not be done again. */
  public boolean isOnce() {
    return isFromLeader() || this == OPERATE || this == DRAIN || this == REPAIR;
  }

  /** The event-bus address of this verb on a node. */
  public String address(String node) {
    return "scr." + node + ".node." + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
