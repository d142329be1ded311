package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.prefix.metadata.PathRules.Place;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.service.Loop;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.run.OpenDataset;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Places of an application's files below the prefix directory. The file system is asked for links; where it gives no
 * answer, or an error, a phase of the cache goes on with what was last seen of them. On the node's loop.
 */
public final class FilePlaces {
  /** Work on a file that is in the prefix directory itself. */
  @FunctionalInterface
  interface PrefixWork<T> {
    T by(PathRules rules) throws IOException;
  }

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
        ? asked(patience, what, () -> resolution.apply(rules)).recover(failure ->
            Fault.of(failure) == Fault.IO ? loop.blocking(what, () -> resolution.apply(rules.withoutLooking()))
                : Future.failedFuture(failure))
        : loop.blocking(what, () -> resolution.apply(rules)));
  }

  private Future<PathRules> assumable(OpenDataset open) {
    return open.rules(() -> asked(PrefixJobs.PATIENCE, "look at " + open.prefix(),
        () -> new PathRules(open.prefix())).onSuccess(rules -> {
          lastPrefix = open.prefix();
          last = Optional.of(rules);
        }).recover(failure -> {
          if (Fault.of(failure) != Fault.IO) {
            return Future.failedFuture(failure);
          }
          LOG.warn("dataset {}: links below {} are not followed: {}", open.descriptor().id(), open.prefix(),
              failure.getMessage());
          return Future.succeededFuture(last.filter(_ -> open.prefix().equals(lastPrefix))
              .map(PathRules::withoutLooking).orElseGet(() -> PathRules.withoutLooking(open.prefix())));
        }));
  }

  /** Fails with IO where there is no answer, or an error twice. */
  private <T> Future<T> asked(Duration patience, String what, Callable<T> question) {
    return PrefixJobs.twice(() -> loop.prefix().ask(patience, what, question));
  }

  /**
   * Does something with a file that is in the prefix directory itself: nothing goes on without that. Once more where
   * the file system gives an error.
   */
  <T> Future<T> inPrefix(OpenDataset open, String what, PrefixWork<T> work) {
    return open.rules(() -> PrefixJobs.twice(() ->
            loop.prefix().run("look at " + open.prefix(), () -> new PathRules(open.prefix()))))
        .compose(rules -> PrefixJobs.twice(() -> loop.prefix().run(what, () -> work.by(rules))));
  }
}
