package io.vertxscr.protocol.node.restart;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;
import java.util.Optional;

/**
 * Bring these ranks' files here from the prefix directory.
 *
 * @param base the store that takes them
 */
public record FetchRanks(DatasetDescriptor descriptor, Origin origin, String base, RedundancyDescriptor redundancy,
    List<Integer> ranks, FetchMode how) {
  public FetchRanks {
    FieldChecks.place("base", base);
    FieldChecks.ranks("ranks", ranks);
  }

  /**
   * In which way.
   *
   * @param inPlace whether they are checked where they are instead, to be read there; not if they are in containers
   * @param byPath whether every file is wanted at its path in the prefix directory too
   * @param readers files that this node may read there at once, from 1
   * @param token of the leader, by which files get their paths there
   */
  public record FetchMode(boolean inPlace, boolean byPath, int readers, Optional<PrefixToken> token) {
    public FetchMode {
      FieldChecks.range("readers", readers, 1, Integer.MAX_VALUE);
      if (byPath && token.isEmpty()) {
        throw new ScrException(Fault.BAD_REQUEST, "names are given by a leader's token only");
      }
    }

    /** Without files at their paths. */
    public FetchMode(boolean inPlace, int readers) {
      this(inPlace, false, readers, Optional.empty());
    }
  }
}
