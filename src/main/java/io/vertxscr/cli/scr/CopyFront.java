package io.vertxscr.cli.scr;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code scr_copy}, which a scavenge runs on every node. */
@Command(sortOptions = false, exitCodeOnInvalidInput = Front.FAILED, description = {
    "Copy this machine's part of a dataset, with its redundancy, to the prefix directory.",
    "'scr copy' takes more options: --node."})
final class CopyFront extends Front {
  @Option(names = {"-c", "--cntldir"}, required = true, paramLabel = "DIR", description =
      "Directory with the control directories of the job's nodes on this machine.")
  private Path control;

  @Option(names = {"-i", "--id"}, required = true, paramLabel = "ID", description = "The dataset's number.")
  private int id;

  @Option(names = {"-d", "--prefix"}, required = true, paramLabel = "DIR", description = "Prefix directory.")
  private Path prefix;

  @Option(names = {"-b", "--buf"}, paramLabel = "BYTES", description = NO_EFFECT + "buffers have a size of their own.")
  private String buffer;

  @Option(names = {"-r", "--crc"}, description = NO_EFFECT + "every byte is checked always.")
  private boolean checksums;

  @Option(names = {"-p", "--partner"}, description = NO_EFFECT + "redundancy, partners' copies too, is copied always.")
  private boolean partner;

  @Parameters(arity = "0..*", paramLabel = "NODE", description =
      NO_EFFECT + "all that is here is copied, even if nodes are down.")
  private List<String> down = List.of();

  CopyFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() throws UnknownHostException {
    int exit = ours(List.of("copy", "--id", Integer.toString(id), "--prefix", prefix.toString(),
        "--control", control.toString())) == 0 ? 0 : FAILED;
    out().println(name() + ": " + InetAddress.getLocalHost().getHostName() + ": Return code: " + exit);
    return exit;
  }
}
