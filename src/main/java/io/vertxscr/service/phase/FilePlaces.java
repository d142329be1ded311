package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.prefix.metadata.PathRules.Place;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.run.OpenDataset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places of an application's files below the prefix directory. The file system is asked for links; where it does not
 * answer, a phase of the cache goes on with what was last seen of them. On the node's loop.
 */
public final class FilePlaces {
  private static final Logger LOG = LoggerFactory.getLogger(FilePlaces.class);

  private final Loop loop;
  private Path lastPrefix;
  /** Of the last phase for which the file system has answered. */
  private Optional<PathRules> last = Optional.empty();

  public FilePlaces(Loop loop) {
    this.loop = loop;
  }

  /** Resolves the name of a file that has another place than the prefix directory. */
  Future<Place> place(OpenDataset open, String directory, String name) {
    return resolve(open, PrefixJobs.PATIENCE, "look at " + name + " below " + open.prefix(),
        rules -> rules.place(directory, name));
  }

  /** Resolves with the rules of the phase, with as many questions to the file system as that takes. */
  <T> Future<T> resolve(OpenDataset open, Duration patience, String what, Function<PathRules, T> resolution) {
    return assumable(open).compose(rules -> rules.looks()
        ? loop.prefix().ask(patience, what, () -> resolution.apply(rules)).recover(failure ->
            PrefixJobs.isNoAnswer(failure) ? loop.blocking(what, () -> resolution.apply(rules.withoutLooking()))
                : Future.failedFuture(failure))
        : loop.blocking(what, () -> resolution.apply(rules)));
  }

  private Future<PathRules> assumable(OpenDataset open) {
    return open.rules(() -> loop.prefix().ask(PrefixJobs.PATIENCE, "look at " + open.prefix(),
        () -> new PathRules(open.prefix())).onSuccess(rules -> {
          lastPrefix = open.prefix();
          last = Optional.of(rules);
        }).recover(failure -> {
          if (!PrefixJobs.isNoAnswer(failure)) {
            return Future.failedFuture(failure);
          }
          LOG.warn("dataset {}: links below {} are not followed: {}", open.descriptor().id(), open.prefix(),
              failure.getMessage());
          return Future.succeededFuture(last.filter(_ -> open.prefix().equals(lastPrefix))
              .map(PathRules::withoutLooking).orElseGet(() -> PathRules.withoutLooking(open.prefix())));
        }));
  }

  /** The rules for files that are in the prefix directory themselves: nothing goes on without it. */
  Future<PathRules> rules(OpenDataset open) {
    return open.rules(() -> loop.prefix().run("look at " + open.prefix(), () -> new PathRules(open.prefix())));
  }
}
