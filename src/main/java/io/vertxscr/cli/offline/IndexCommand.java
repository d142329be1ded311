package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.config.Nearest;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex.Reading;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.DatasetPublisher;
import io.vertxscr.scavenge.DatasetScan;
import io.vertxscr.scavenge.DatasetScanner;
import io.vertxscr.scavenge.EntrySentences;
import io.vertxscr.scavenge.Finding;
import io.vertxscr.scavenge.IndexEditor;
import io.vertxscr.scavenge.IndexVerification;
import io.vertxscr.scavenge.MissingFiles;
import io.vertxscr.scavenge.ScanHash;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr index}: what a prefix directory has, and what a restart may use of it. */
@Command(name = IndexCommand.NAME, sortOptions = false, description = {
    "List and change the index of a prefix directory, also while a run uses it. Without one of the actions it lists.",
    "Exit code 1 for a damaged index, or a missing or incomplete dataset."})
final class IndexCommand implements Callable<Integer> {
  static final String NAME = "index";
  private static final int NEWEST_NAMED = 3;

  private final Map<String, String> environment;

  @Mixin
  private PrefixOption prefix;

  @Parameters(arity = "0..1", hidden = true)
  private String stray;

  @ArgGroup(multiplicity = "0..1")
  private Action action;

  @Option(names = "--json", description = "Print the list as JSON.")
  private boolean json;

  @Spec
  private CommandSpec spec;

  /** One of these. */
  private static final class Action {
    @Option(names = "--list", description = "Print all datasets: checkpoints and output, oldest first.")
    private boolean list;

    @Option(names = "--current", paramLabel = "NAME", description =
        "Restarts begin with this dataset; newer ones are left alone.")
    private String current;

    @Option(names = "--drop", paramLabel = "NAME", description = "Take a dataset out of the index; its files stay.")
    private String drop;

    @Option(names = "--drop-after", paramLabel = "NAME", description =
        "Take all datasets that are newer than this one out of the index; their files stay.")
    private String dropAfter;

    @Option(names = "--add", paramLabel = "ID|DIR|NAME", description = {
        "Make a scavenged dataset whole, rebuilding what is missing, and put it into the index; or put one back that"
            + " was dropped."})
    private String add;

    @Option(names = "--build", arity = "0..1", fallbackValue = "", paramLabel = "ID", description = {
        "Do that with this dataset, or with every one of the prefix directory; then a damaged or lost index is made"
            + " again."})
    private String build;

    @Option(names = "--verify", arity = "0..1", fallbackValue = "", paramLabel = "NAME", description =
        {
        "Read every byte of this dataset, or of all, and compare it with its checksum. What is damaged is marked as"
            + " failed, so that restarts pass it over."})
    private String verify;

    @Option(names = "--scan", paramLabel = "ID|DIR|NAME", description =
        "Print what was scavenged of a dataset and what can be made of it; changes nothing.")
    private String scan;
  }

  @Option(names = "--take-over", description =
      "With --add: also where the flush file says that it is being flushed. Only if no daemon is left that does it.")
  private boolean takeOver;

  IndexCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if (stray != null) {
      throw new ParameterException(spec.commandLine(), "'" + stray + "': a prefix directory is given by --prefix "
          + stray);
    }
    PrefixPaths paths = prefix.paths(environment);
    PrefixIndex index = PrefixOption.index(paths);
    if (action == null) {
      return list(index);
    }
    if (isEdit()) {
      return edit(index, new IndexEditor(paths, index, PrefixOption.restarts(paths)));
    }
    if (action.verify != null) {
      complain(index.lost().stream().toList());
      boolean good = new IndexVerification(paths, index, Clock.systemDefaultZone(), this::print)
          .verify(toVerify(index));
      return good && index.lost().isEmpty() ? 0 : OfflineCommands.WRONG;
    }
    if (action.list) {
      return list(index);
    }
    var publisher = new DatasetPublisher(
        paths, index, PrefixOption.flushFile(paths, "scr index"), Clock.systemDefaultZone(), this::print);
    if (action.scan != null) {
      return scan(paths, publisher.idOf(action.scan));
    }
    String one = action.add != null ? action.add : action.build;
    boolean good = one.isEmpty() && action.add == null ? publisher.build()
        : publisher.add(publisher.idOf(one), takeOver);
    return good ? 0 : OfflineCommands.WRONG;
  }

  private void print(Finding finding) {
    FindingLines.of(finding).forEach(spec.commandLine().getOut()::println);
  }

  /** Prints what was scavenged of a dataset, as SCR's scan hash. Changes nothing. */
  private int scan(PrefixPaths paths, int id) {
    DatasetScan scan = DatasetScanner.scan(paths, id, DatasetScanner.Depth.SIZES);
    MissingFiles missing = MissingFiles.of(scan);
    PrintWriter out = spec.commandLine().getOut();
    out.print(HashFile.dump(ScanHash.encode(scan, missing)));
    out.flush();
    return missing.unrecoverable().isEmpty() ? 0 : OfflineCommands.WRONG;
  }

  private List<Index.Entry> toVerify(PrefixIndex prefixIndex) {
    Index index = prefixIndex.read().index();
    return action.verify.isEmpty() ? index.entries().stream()
        .filter(entry -> entry.complete() || entry.replacedBy().isPresent()).toList()
        : List.of(known(index, action.verify).require(action.verify));
  }

  private int list(PrefixIndex prefixIndex) {
    Reading reading = prefixIndex.read();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JsonVersion.of(IndexListing.json(reading.index())).encodePrettily());
    } else if (reading.index().entries().isEmpty()) {
      if (prefixIndex.lost().isEmpty()) {
        out.println("no datasets");
      }
    } else {
      out.println(String.join(System.lineSeparator(), IndexListing.lines(reading.index())));  // in one write
    }
    complain(reading.remarks());
    if (!reading.remarks().isEmpty()) {
      spec.commandLine().getErr().println("scr: 'scr index --build' writes a good index again");
    }
    complain(prefixIndex.lost().stream().toList());
    return reading.remarks().isEmpty() && prefixIndex.lost().isEmpty() ? 0 : OfflineCommands.WRONG;
  }

  private boolean isEdit() {
    return action.current != null || action.drop != null || action.dropAfter != null;
  }

  /** Changes the index and prints the difference. */
  private int edit(PrefixIndex index, IndexEditor editor) {
    complain(index.makeIfLost());
    String name = action.current != null ? action.current : action.drop != null ? action.drop : action.dropAfter;
    known(index.read().index(), name);                    // the lock makes a directory: not for a name that is wrong
    IndexEditor.Edited edited = action.current != null ? editor.setCurrent(name)
        : action.drop != null ? editor.drop(name) : editor.dropAfter(name);
    PrintWriter out = spec.commandLine().getOut();
    edited.dropped().forEach(dataset -> out.println("dropped " + EntrySentences.name(dataset) + "; its files stay"));
    if (edited.currentChanged()) {
      out.println(edited.current().map(now -> "current is '" + now + "'")
          .orElse("nothing is current: a restart begins with the newest checkpoint"));
    }
    complain(edited.remarks());
    return 0;
  }

  private static Index known(Index index, String name) {
    if (index.find(name).isEmpty()) {
      List<String> names = index.entries().stream().map(Index.Entry::name).toList();
      throw new ScrException(Fault.NO_SUCH_DATASET,
          "the index has no dataset '" + name + "'"
              + (names.isEmpty() ? ": it is empty" : meant(name, names)));
    }
    return index;
  }

  /** No suggestion for numbered names: every other number is as near, and a wrong one may be dropped. */
  private static String meant(String name, List<String> names) {
    String hint = Nearest.hint(name, names);
    return !hint.isEmpty() ? hint : "; its newest are "
        + String.join(", ", names.reversed().stream().limit(NEWEST_NAMED).map(one -> "'" + one + "'").toList());
  }

  private void complain(List<String> remarks) {
    remarks.forEach(remark -> spec.commandLine().getErr().println("scr: " + Names.printable(remark)));
  }
}
