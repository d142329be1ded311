package io.vertxscr.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One node's part of a dataset: the content of its filemap. It exists only for datasets that every rank called valid
 * and whose files on this node are complete.
 *
 * @param cache where its directory is
 * @param redundancy how it is protected
 * @param ranks one entry for each rank whose files this node holds, ascending by rank
 */
public record DatasetRecord(DatasetDescriptor descriptor, Origin origin, CacheDirectory cache,
    RedundancyDescriptor redundancy, FlushState flush, List<RankRecord> ranks) {

  /**
   * Which run wrote it, and what that run wants of its flush.
   *
   * @param prefix its prefix directory, absolute
   * @param ranks how many it had
   */
  public record Origin(String prefix, int ranks, FlushDescriptor flush) {
    /** Of a run that has each file flushed to a place of its own. */
    public Origin(String prefix, int ranks) {
      this(prefix, ranks, FlushDescriptor.FILES);
    }

    /** Whether a run with this prefix directory and number of ranks continues the other one. */
    public boolean isLike(Origin other) {
      return ranks == other.ranks && prefix.equals(other.prefix);
    }
  }

  /** What tells it from other datasets, also of its id. */
  public DatasetKey key() {
    return descriptor.key();
  }

  /**
   * Whether it may be given up for another dataset of its id, as a node has room for one. It is in the prefix
   * directory, or of an earlier history of the same program.
   *
   * @param prefix directory of the other one's program
   */
  public boolean makesWayFor(DatasetKey other, String prefix) {
    return flush == FlushState.DONE
        || descriptor.createdUs() <= other.createdUs() && origin.prefix().equals(prefix);
  }

  /** Flush state of the dataset. */
  public enum FlushState {
    /** Nobody asked for it there. */
    NOT_WANTED,
    /** It must be flushed; until then its cached copy stays. */
    WANTED,
    /** It is in the prefix directory, whole and durable. */
    DONE
  }

  /**
   * @param files the rank's files, with checksums, or unread
   * @param set with whom it is protected
   * @param redundancy the redundancy file that this rank wrote, relative to the dataset's directory; empty while its
   *     protection is pending, and for SINGLE
   * @param redundancyCrc CRC-32 of its parity; empty while unknown, and where it holds copies, whose checksums are in
   *     its header
   * @param seals by which files that were right are known again
   */
  public record RankRecord(RankFiles files, RedundancySet set, Optional<String> redundancy, OptionalInt redundancyCrc,
      RankSeals seals) {
    public RankRecord {
      if (!seals.files().isEmpty() && seals.files().size() != files.files().size()) {
        throw new IllegalArgumentException("rank " + files.rank() + " has " + files.files().size() + " files and "
            + seals.files().size() + " seals");
      }
    }

    /** Without seals. */
    public RankRecord(RankFiles files, RedundancySet set, Optional<String> redundancy, OptionalInt redundancyCrc) {
      this(files, set, redundancy, redundancyCrc, RankSeals.NONE);
    }

    /** Without a checksum of parity. */
    public RankRecord(RankFiles files, RedundancySet set, Optional<String> redundancy) {
      this(files, set, redundancy, OptionalInt.empty());
    }

    /** Returns the same with other files, which are not sealed. */
    public RankRecord with(RankFiles others) {
      return new RankRecord(others, set, redundancy, redundancyCrc, seals.withoutFiles());
    }

    /** Returns the same with more checksums of the files. */
    public RankRecord learned(RankFiles same) {
      return new RankRecord(same, set, redundancy, redundancyCrc, seals);
    }

    /** Returns the same with this redundancy file, which is not sealed. */
    public RankRecord with(String file, OptionalInt crc) {
      return new RankRecord(files, set, Optional.of(file), crc, seals.withoutRedundancy());
    }

    /** Returns the same without a redundancy file. */
    public RankRecord withoutRedundancy() {
      return new RankRecord(files, set, Optional.empty(), OptionalInt.empty(), seals.withoutRedundancy());
    }

    /** Returns the same with these seals. */
    public RankRecord with(RankSeals others) {
      return new RankRecord(files, set, redundancy, redundancyCrc, others);
    }

    /** Whether both are of the same files, sealed or not. */
    public boolean isLike(RankRecord other) {
      return with(RankSeals.NONE).equals(other.with(RankSeals.NONE));
    }
  }

  public DatasetRecord {
    ranks = ranks.stream().sorted(Comparator.comparingInt(of -> of.files().rank())).toList();
  }

  /** Whether the checksum of some file is not known yet. */
  public boolean hasUnread() {
    return ranks.stream().anyMatch(rank -> rank.files().hasUnread());
  }

  /** Returns the same where a sync has failed: unread files are known by nothing any more. */
  public DatasetRecord withLostWrites() {
    return with(ranks.stream().map(rank -> rank.learned(new RankFiles(
        rank.files().rank(), rank.files().files().stream().map(FileMeta::withLostWrites).toList()))).toList());
  }

  public Scheme scheme() {
    return redundancy.scheme();
  }

  /** The entry of this rank. Binary search, because a protection asks for each of a node's many ranks. */
  public Optional<RankRecord> rank(int rank) {
    int low = 0;
    int high = ranks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranks.get(middle).files().rank() < rank) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < ranks.size() && ranks.get(low).files().rank() == rank ? Optional.of(ranks.get(low)) : Optional.empty();
  }

  /** Returns the record with another flush state. */
  public DatasetRecord with(FlushState state) {
    return new DatasetRecord(descriptor, origin, cache, redundancy, state, ranks);
  }

  /** Returns the record of a dataset whose files are flushed in another form. */
  public DatasetRecord with(FlushDescriptor form) {
    return new DatasetRecord(
        descriptor, new Origin(origin.prefix(), origin.ranks(), form), cache, redundancy, flush, ranks);
  }

  /** Returns the record with these ranks. */
  public DatasetRecord with(List<RankRecord> held) {
    return new DatasetRecord(descriptor, origin, cache, redundancy, flush, held);
  }

  /** Returns the record with another entry of a rank, if it has one. */
  public DatasetRecord with(RankRecord other) {
    return with(ranks.stream().map(rank -> rank.files().rank() == other.files().rank() ? other : rank).toList());
  }

  /** Returns the record with these ranks, in other redundancy sets. */
  public DatasetRecord with(RedundancyDescriptor other, List<RankRecord> held) {
    return new DatasetRecord(descriptor, origin, cache, other, flush, held);
  }
}
