package io.vertxscr.cli.scr;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scr_print}, and the commands of the same form that print hash files. */
@Command(exitCodeOnInvalidInput = Front.FAILED, description = {
    "Print a metadata file. 'scr print' takes several, directories too, and prints JSON."})
final class PrintFront extends Front {
  /** Form of a printed tree. */
  private enum Form { TREE, KEYVAL }

  @Option(names = {"-m", "--mode"}, defaultValue = "KEYVAL", paramLabel = "tree|keyval", description =
      "keyval, if not given: a key with a single value as KEY = VALUE.")
  private Form mode;

  @Parameters(paramLabel = "FILE", description = "The file.")
  private String file;

  PrintFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    return ours(List.of("print", "--mode", mode.name(), file)) == 0 ? 0 : FAILED;
  }
}
