package io.vertxscr.cli.offline;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * The prefix directory of a command that reads caches, too. One that is named is taken. Else it is the working
 * directory, if any dataset belongs to it; else the one that all datasets of the caches belong to.
 *
 * @param directory that is named, or the working directory
 * @param files gives the path of a directory in its file system or object store
 */
record PrefixChoice(PrefixPaths directory, boolean named, Function<String, Path> files) {
  /**
   * The directory that the answer is about.
   *
   * @param origins prefix directories of the datasets in the caches
   * @param remarks gets a sentence where another directory than the working directory is taken
   * @throws ScrException BAD_REQUEST where several are possible, or none; BAD_CONFIGURATION where the only one is not
   *     there; IO
   */
  PrefixPaths among(Collection<String> origins, List<String> remarks) {
    if (named || origins.stream().anyMatch(one -> PrefixDirectories.isSame(one, directory)) || isOfDatasets()) {
      return directory;
    }
    List<PrefixPaths> found = new ArrayList<>();
    for (String origin : origins) {
      PrefixPaths paths = new PrefixPaths(files.apply(origin));
      if (found.stream().noneMatch(one -> PrefixDirectories.isSame(origin, one))) {
        found.add(paths);
      }
    }
    String why = "no dataset belongs to the working directory " + directory.prefix();
    if (found.size() != 1) {
      throw new ScrException(Fault.BAD_REQUEST, why + ", " + (found.isEmpty() ? "and the caches have none: say --prefix"
          + " DIR, the prefix directory of the run" : "and the caches have datasets of several prefix directories: say"
          + " one of " + String.join(", ", found.stream().map(one -> "--prefix " + one.prefix()).toList())));
    }
    PrefixPaths only = PrefixDirectories.named(found.getFirst().prefix());
    remarks.add(why + ": this is about " + only.prefix() + ", to which those of the caches belong");
    return only;
  }

  /** Whether it has, or had, published or scavenged datasets, or flushes of them. */
  private boolean isOfDatasets() {
    PrefixIndex index = PrefixOption.index(directory);
    return !index.read().index().entries().isEmpty() || !new Publication(directory, index).datasets().isEmpty()
        || !PrefixOption.flushFile(directory, "scr explain").read().entries().isEmpty();
  }
}
