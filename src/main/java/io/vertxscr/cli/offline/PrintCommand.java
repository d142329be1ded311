package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr print}: any metadata file as the tree that it holds. */
@Command(name = PrintCommand.NAME, description = {
    "Print metadata files (index, summary, filemap, redundancy header, ...) as trees of keys.",
    "Exit code 1 if one of them is damaged: it is named with the damage and its byte."})
final class PrintCommand implements Callable<Integer> {
  static final String NAME = "print";

  @Parameters(paramLabel = "FILE", arity = "1..*", description =
      "Files to print; of a directory, the list of what is in it, and the metadata files among that.")
  private List<Path> files;

  @Option(names = "--json", description = {
      "Print a JSON array, one object a file: file, hash, and payloadBytes for redundancy files; or file and error.",
      "Every key in hash is an object: SIZE with the value 5 is {\"SIZE\": {\"5\": {}}}."})
  private boolean json;

  /** Form of a printed tree. */
  private enum Mode { TREE, KEYVAL }

  @Option(names = {"-m", "--mode"}, defaultValue = "TREE", paramLabel = "tree|keyval", description =
      "keyval: sorted, a key with a single value as KEY = VALUE; tree if not given.")
  private Mode mode;

  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    JsonArray all = new JsonArray();
    int exit = 0;
    List<Path> toPrint = files.stream().flatMap(file -> HashFileOnDisk.withThoseIn(file).stream()).toList();
    for (Path file : toPrint) {
      try {
        HashFileOnDisk read = HashFileOnDisk.read(file);
        if (json) {
          all.add(json(read));
        } else {
          print(read, toPrint.size() > 1, out);
        }
      } catch (ScrException e) {
        exit = OfflineCommands.WRONG;
        all.add(new JsonObject().put("file", file.toString()).put("error", e.getMessage()));
        spec.commandLine().getErr().println("scr: " + Names.printable(e.getMessage()));
      }
    }
    if (json) {
      out.println(all.encodePrettily());
    }
    return exit;
  }

  private void print(HashFileOnDisk file, boolean oneOfSeveral, PrintWriter out) {
    if (oneOfSeveral) {
      out.println("==> " + Names.printable(file.path().toString()) + " <==");
    }
    out.print(mode == Mode.KEYVAL ? HashFile.keyValues(file.hash()) : HashFile.dump(file.hash()));
    file.payloadBytes().ifPresent(bytes ->
        out.println("(" + bytes + " redundancy bytes follow, from byte " + file.hash().length + ")"));
    out.flush();
  }

  private static JsonObject json(HashFileOnDisk file) {
    JsonObject object = new JsonObject()
        .put("file", file.path().toString()).put("hash", new JsonObject(HashFile.tree(file.hash())));
    file.payloadBytes().ifPresent(bytes -> object.put("payloadBytes", bytes));
    return object;
  }
}
