package io.vertxscr.scavenge;

import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.storage.Presence;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Whose files are another one's by now, of the published datasets. The maps that say so may be large: they are read
 * without the lock, and again where somebody has published since.
 */
final class FileOwners {
  /** At all maps without the lock: who publishes all the time does not keep a command from its end. */
  private static final int MOST_LOOKS = 3;

  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final Publication publication;
  private Map<Integer, SummaryVersion> summaries;
  private Map<Integer, Integer> overwritten;

  /** By which a summary is known again: each is a file of its own. */
  private record SummaryVersion(Optional<Object> fileKey, FileTime modified) {}

  /** Reads the maps. */
  FileOwners(PrefixPaths paths, PrefixIndex index, Publication publication) {
    this.paths = paths;
    this.index = index;
    this.publication = publication;
    look();
  }

  /** Datasets of which a file is another one's, which is whole, at the last look; to each that one. */
  Map<Integer, Integer> overwritten() {
    return overwritten;
  }

  /** Does something under the lock with what {@link #overwritten} says then. */
  <T> T exclusively(BiFunction<PrefixIndex, Map<Integer, Integer>, T> work) {
    for (int looks = 1; looks <= MOST_LOOKS; looks++) {
      Optional<T> done = index.exclusively(held ->
          isCurrent() ? Optional.of(work.apply(held, overwritten)) : Optional.empty());
      if (done.isPresent()) {
        return done.get();
      }
      look();
    }
    return index.exclusively(held -> {
      look();
      return work.apply(held, overwritten);
    });
  }

  private void look() {
    summaries = summaries();                              // first: what is published meanwhile is not among them
    overwritten = new WrittenOver(paths).among(publication.whole());
  }

  /** Whether nothing was published since, or marked. A map is not changed without its summary. */
  private boolean isCurrent() {
    return summaries.entrySet().containsAll(summaries().entrySet());
  }

  private Map<Integer, SummaryVersion> summaries() {
    Map<Integer, SummaryVersion> found = new HashMap<>();
    publication.datasets().forEach(id -> Presence.look(paths.summary(id)).ifPresent(file -> found.put(id,
        new SummaryVersion(Optional.ofNullable(file.fileKey()), file.lastModifiedTime()))));
    return found;
  }
}
