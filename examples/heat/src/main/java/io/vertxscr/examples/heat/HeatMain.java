package io.vertxscr.examples.heat;

import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/**
 * One rank as a process. It prints its {@link HeatEvent}s as lines, and on rank 0 finally the SHA-256 of the final
 * field. Exit codes: 0 done, 1 a file could not be read or written, 2 wrong arguments, 3 a neighbour or the checkpoint
 * system is lost.
 */
@Command(name = "heat", mixinStandardHelpOptions = true, sortOptions = false,
    description = "One rank of a parallel 2-D heat-diffusion solver that checkpoints.")
public final class HeatMain implements Callable<Integer> {
  public static final int EXIT_LOST = 3;

  /** Opens the checkpoint system for one rank. */
  @FunctionalInterface
  public interface Opener {
    /**
     * @param socket Unix socket of the rank's node
     * @param prefix directory on the parallel file system, to which checkpoints are flushed
     */
    Checkpointing open(HeatOptions options, Path socket, Path prefix);
  }

  private final Opener opener;
  @Spec private CommandLine.Model.CommandSpec spec;

  @Option(names = "--rank", required = true, description = "number of this rank, from 0")
  private int rank;
  @Option(names = "--ranks", required = true, description = "number of all ranks")
  private int ranks;
  @Option(names = "--size", defaultValue = "2048", description = "rows and columns of the field (${DEFAULT-VALUE})")
  private int size;
  @Option(names = "--steps", defaultValue = "400", description = "time steps (${DEFAULT-VALUE})")
  private int steps;
  @Option(names = "--checkpoint-every", defaultValue = "40",
      description = "steps between checkpoints (${DEFAULT-VALUE})")
  private int checkpointEvery;
  @Option(names = "--host", defaultValue = "127.0.0.1", description = "address for the neighbours (${DEFAULT-VALUE})")
  private String host;
  @Option(names = "--rendezvous", required = true,
      description = "directory where the ranks of this run find each other")
  private Path rendezvous;
  @Option(names = "--output", required = true, description = "directory for the final field")
  private Path output;
  @Option(names = "--timeout-ms", defaultValue = "" + HeatOptions.DEFAULT_TIMEOUT_MS,
      description = "longest wait for a neighbour (${DEFAULT-VALUE})")
  private int timeoutMs;
  @Option(names = "--socket", description = "Unix socket of this node's daemon; without it there are no checkpoints")
  private Path socket;
  @Option(names = "--prefix", defaultValue = ".",
      description = "prefix directory of the checkpoints (${DEFAULT-VALUE})")
  private Path prefix;
  @Option(names = "--image", description = "PNG file for a picture of the final field, written by rank 0")
  private Path image;

  HeatMain(Opener opener) {
    this.opener = opener;
  }

  /** Runs the rank and ends the process. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments, ScrCheckpointing::open));
  }

  /** Runs the rank and returns the exit code. */
  public static int execute(String[] arguments, Opener opener) {
    return new CommandLine(new HeatMain(opener)).execute(arguments);
  }

  @Override
  public Integer call() {
    HeatOptions options = options();
    try (Checkpointing checkpoints = open(options)) {
      new HeatRank(options, checkpoints, event -> System.out.println(event.line())).run();
      if (rank == 0) {
        report();
      }
      return 0;
    } catch (NeighbourLostException | ScrException e) {
      System.err.println(e.getMessage());
      return EXIT_LOST;
    } catch (IOException e) {
      System.err.println("rank " + rank + ": " + e);
      return 1;
    }
  }

  private HeatOptions options() {
    try {
      HeatProblem problem = new HeatProblem(size, steps, socket == null ? 0 : checkpointEvery);
      return new HeatOptions(rank, ranks, problem, host, rendezvous, output, timeoutMs);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Checkpointing open(HeatOptions options) {
    return Optional.ofNullable(socket)
        .map(path -> opener.open(options, path, prefix.toAbsolutePath().normalize()))
        .orElseGet(Checkpointing::none);
  }

  private void report() throws IOException {
    FinalField field = FinalField.open(output, size);
    System.out.println("sha256 " + field.digest());
    if (image != null) {
      FieldImage.write(field, image, 1024);
    }
  }
}
