package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A phase has begun ({@link Verb#START_OUTPUT}, {@link Verb#START_RESTART}).
 *
 * @param dataset its id, from 1
 * @param name its name
 * @param directory absolute path of the rank's directory in the cache
 * @param naming the rule by which the client may place its files below the directory itself ({@link #CACHE_NAMES});
 *     missing: files are placed by {@link Verb#ROUTE} only
 * @param files in a restart, the rank's files below the directory; missing: use {@link Verb#ROUTE}
 * @param writers in a restart from shards, how many ranks wrote them: every rank may read every file
 */
public record StartReply(int dataset, String name, String directory, OptionalInt naming,
    Optional<List<NamedFile>> files, OptionalInt writers, Optional<List<String>> remarks) implements CallReply {
  /** The rule of {@link io.vertxscr.placement.CacheNames}. */
  public static final int CACHE_NAMES = 1;

  public StartReply {
    FieldChecks.range("dataset", dataset, 1, Integer.MAX_VALUE);
    FieldChecks.text("name", name);
    FieldChecks.place("directory", directory);
    naming.ifPresent(rule -> FieldChecks.range("naming", rule, 1, Integer.MAX_VALUE));
    writers.ifPresent(ranks -> FieldChecks.range("writers", ranks, 1, Limits.MAX_RANKS));
    files = files.map(List::copyOf);
    remarks = remarks.map(List::copyOf);
  }

  /** Without remarks. */
  public StartReply(
      int dataset, String name, String directory, OptionalInt naming, Optional<List<NamedFile>> files) {
    this(dataset, name, directory, naming, files, OptionalInt.empty(), Optional.empty());
  }

  @Override
  public StartReply with(List<String> told) {
    return new StartReply(dataset, name, directory, naming, files, writers, Optional.of(told));
  }

  /** Of shards that so many ranks have written. */
  public StartReply writtenBy(int ranks) {
    return new StartReply(dataset, name, directory, naming, Optional.empty(), OptionalInt.of(ranks), remarks);
  }

  /** Without leave for the client to place or find files itself. */
  public StartReply(int dataset, String name, String directory) {
    this(dataset, name, directory, OptionalInt.empty(), Optional.empty());
  }
}
