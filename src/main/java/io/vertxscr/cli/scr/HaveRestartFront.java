package io.vertxscr.cli.scr;

import io.vertxscr.cli.offline.CachesOption;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code scr_have_restart}: SCR's is a program of MPI; this one checks index and caches. */
@Command(description = {
    "Print the name of the checkpoint that a start would find: the newest of the prefix directory and of the caches of"
        + " this machine. Prints nothing where there is none.",
    "SCR_Have_restart in the program has the last word: a cached one may turn out to be beyond repair."})
final class HaveRestartFront extends Front {
  HaveRestartFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    PrefixPaths paths = prefix(Path.of(environment().getOrDefault("SCR_PREFIX", "")));
    Index index = new PrefixIndex(paths, PatientLocks.user(name(), Duration.ZERO)).read().index();
    Optional<String> newest = Stream.concat(index.candidates().stream().limit(1).map(Index.Entry::descriptor),
        new CachesOption().nodesIfAny(environment()).stream().flatMap(node -> node.of(paths).datasets().stream())
            .map(record -> record.descriptor()).filter(dataset -> dataset.flags().checkpoint()))
        .max(Comparator.comparingInt(DatasetDescriptor::id)).map(DatasetDescriptor::name);
    newest.ifPresent(out()::println);
    return 0;
  }
}
