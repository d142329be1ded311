package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.Humane;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.FlushFileStore;
import io.vertxscr.prefix.PrefixIndex;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.Publication;
import io.vertxscr.scavenge.DatasetAssembly;
import io.vertxscr.scavenge.DatasetAssembly.Assembled;
import io.vertxscr.scavenge.DatasetScan;
import io.vertxscr.scavenge.DatasetScanner;
import io.vertxscr.scavenge.DatasetVerification;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import io.vertxscr.scavenge.MissingFiles;
import io.vertxscr.scavenge.ScanHash;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The parts of {@code scr index} that look at files: add, build, verify, scan. Each returns an exit code. */
final class IndexRepair {
  private static final int MOST_REASONS = 10;

  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final Publication publication;
  private final FlushFileStore flushFile;
  private final PrintWriter out;

  IndexRepair(PrefixPaths paths, PrintWriter out) {
    this.paths = paths;
    this.index = PrefixOption.index(paths);
    this.publication = new Publication(paths, index);
    this.flushFile = new FlushFileStore(paths, "scr index", PrefixOption.PATIENCE);
    this.out = out;
  }

  /** The dataset that an argument means: its number, or its directory. */
  static int id(String argument) {
    String number = argument.matches("[1-9][0-9]{0,8}") ? "scr.dataset." + argument : argument;
    OptionalInt id = PrefixPaths.datasetOf(Path.of(number));
    return id.orElseThrow(() -> new ScrException(Fault.BAD_CONFIGURATION,
        "'" + argument + "' is neither a dataset's number nor its directory scr.dataset.<number>"));
  }

  /** @param takeOver publish it although the flush file says that a daemon does: the caller knows that none is left */
  int add(int id, boolean takeOver) {
    Assembled dataset = new DatasetAssembly(paths, publication).assemble(id, (descriptor, work) ->
        flushFile.publish(descriptor, takeOver, work));
    DatasetDescriptor descriptor = dataset.descriptor();
    String name = "dataset " + id + " '" + descriptor.name() + "'";
    dataset.problems().forEach(problem -> out.println(name + ": " + problem));
    if (dataset.valid()) {
      List<String> remarks = new ArrayList<>(publication.enlist(descriptor, LocalDateTime.now()).remarks());
      remarks.addAll(publication.removeReplaced(descriptor));
      remarks.forEach(out::println);
      out.println(name + " is in the index, whole: " + descriptor.totals().files() + " files, "
          + Humane.bytes(descriptor.totals().bytes())
          + (dataset.rebuilt().isEmpty() ? "" : "; rebuilt ranks " + Humane.ranges(dataset.rebuilt())));
      return 0;
    }
    out.println(name + " is INVALID: MISSING files of ranks " + Humane.ranges(dataset.missing())
        + "; UNRECOVERABLE ranks " + Humane.ranges(dataset.unrecoverable().keySet()));
    dataset.unrecoverable().values().stream().limit(MOST_REASONS).forEach(why ->
        out.println("  " + why.replaceFirst("^dataset .* from the caches: ", "")));
    index.update(before -> before.find(descriptor.name()).isPresent() || before.find(id).isPresent() ? before
        : before.put(new Index.Entry(descriptor, false, Optional.empty(), List.of(),
            Optional.empty())));
    return OfflineCommands.WRONG;
  }

  /** Looks at every dataset of the prefix directory and puts all that is whole, or can be made so, into the index. */
  int build() {
    List<String> remarks = new ArrayList<>(index.update(before -> before).remarks());
    remarks.forEach(out::println);
    int exit = 0;
    for (int id : publication.datasets()) {
      exit = Math.max(exit, build(id));
    }
    for (Index.Entry entry : index.read().index().entries()) {
      if (entry.complete() && !publication.isComplete(entry.id())) {
        out.println("dataset " + entry.id() + " '" + entry.name() + "' has lost its summary: not valid any more");
        index.update(before -> before.find(entry.id()).filter(entry::equals).isEmpty() ? before : before.put(
            new Index.Entry(entry.descriptor(), false, entry.flushed(), entry.fetched(), entry.failed())));
        exit = OfflineCommands.WRONG;
      }
    }
    return exit;
  }

  private int build(int id) {
    try {
      if (publication.summary(id).isEmpty() && !DatasetScanner.isScavenged(paths, id)) {
        out.println("dataset " + id + " was never complete: no summary, and nothing was scavenged");
        return 0;
      }
      return add(id, false);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT && e.fault() != Fault.BUSY && e.fault() != Fault.WRONG_STATE) {
        throw e;
      }
      out.println("dataset " + id + " is left alone: " + e.getMessage());
      return e.fault() == Fault.BUSY ? 0 : OfflineCommands.WRONG;
    }
  }

  /** Reads every byte of these datasets. */
  int verify(List<Index.Entry> entries) {
    int exit = 0;
    for (Index.Entry entry : entries) {
      String name = "dataset " + entry.id() + " '" + entry.name() + "'";
      try {
        exit = Math.max(exit, verify(name, entry));
      } catch (ScrException e) {
        if (e.fault() != Fault.CORRUPT) {
          throw e;
        }
        out.println(name + ": " + e.getMessage());
        exit = OfflineCommands.WRONG;
      }
    }
    return exit;
  }

  private int verify(String name, Index.Entry entry) {
    Verified verified = DatasetVerification.verify(paths, entry.id());
    verified.problems().forEach(problem -> out.println(name + ": " + problem));
    if (!verified.unverified().isEmpty()) {
      out.println(name + ": " + verified.unverified().size() + " files have no checksum and were not compared, such as "
          + verified.unverified().getFirst());
    }
    if (verified.files() != entry.descriptor().totals().files()) {
      out.println(name + ": its map has " + verified.files() + " files, its descriptor "
          + entry.descriptor().totals().files());
      return OfflineCommands.WRONG;
    }
    int bad = verified.problems().size();
    String verdict = bad > 0 ? bad + " bad of " : verified.unverified().isEmpty() ? "good, " : "nothing differs in ";
    out.println(name + ": " + verdict + verified.files() + " files, " + Humane.bytes(verified.bytes())
        + (bad == 0 ? "" : " good"));
    return bad == 0 ? 0 : OfflineCommands.WRONG;
  }

  /** Prints what was scavenged of a dataset, as SCR's scan hash. Changes nothing. */
  int scan(int id) {
    DatasetScan scan = DatasetScanner.scan(paths, id, DatasetScanner.Depth.SIZES);
    MissingFiles missing = MissingFiles.of(scan);
    out.print(HashFile.dump(ScanHash.encode(scan, missing)));
    out.flush();
    return missing.unrecoverable().isEmpty() ? 0 : OfflineCommands.WRONG;
  }
}
