package io.vertxscr.service.dashboard;

import io.vertxscr.flow.restart.RestartOrder.FlushedCheckpoints;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.restart.PrefixFetcher.Listing;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a prefix directory says about restarts, read without its lock.
 *
 * @param published datasets that it has, whole
 * @param trouble why it could not be read; it counts as empty then
 */
record PrefixView(FlushedCheckpoints flushed, Set<DatasetKey> published, RestartHistory history,
    FailureHistory failures, Optional<String> trouble) {
  static PrefixView unread(String trouble) {
    return new PrefixView(new FlushedCheckpoints(List.of(), Integer.MAX_VALUE, 0), Set.of(), RestartHistory.EMPTY,
        FailureHistory.EMPTY, Optional.of(trouble));
  }

  /** Blocks. @throws io.vertxscr.model.ScrException IO */
  static PrefixView read(OpenPrefix directory) {
    Index index = directory.index().read().index();
    return new PrefixView(Listing.of(index, directory.publication().datasets()).restart(),
        index.entries().stream().filter(entry -> entry.complete() && entry.failed().isEmpty())
            .map(entry -> entry.descriptor().key()).collect(Collectors.toUnmodifiableSet()),
        directory.restartFile().read(), directory.failuresFile().read(), Optional.empty());
  }
}
