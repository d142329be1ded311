package io.vertxscr.examples.heat;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.client.ScrClient;
import io.vertxscr.client.ScrOptions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The checkpoint system of the rank's node, through the Java client.
 *
 * <p>Failures of two kinds are told apart: those of one checkpoint, after which all ranks go on with the one before it,
 * and those that end the run.
 */
public final class ScrCheckpointing implements Checkpointing {
  private static final String JOB = "heat";

  private final Scr scr;
  private final Path prefix;

  private ScrCheckpointing(Scr scr, Path prefix) {
    this.scr = scr;
    this.prefix = prefix;
  }

  /** Connects to the node and waits until all ranks of the run have done so. */
  public static Checkpointing open(HeatOptions options, Path socket, Path prefix) {
    ScrOptions scrOptions = new ScrOptions(socket, options.rank(), options.ranks(), prefix, JOB);
    return new ScrCheckpointing(Scr.open(scrOptions), scrOptions.prefix());
  }

  /** Opens it with a connected client, of a node in this process. */
  public static Checkpointing open(HeatOptions options, ScrClient client, Path prefix) {
    ScrOptions scrOptions = new ScrOptions(Path.of("unused"), options.rank(), options.ranks(), prefix, JOB);
    return new ScrCheckpointing(Scr.open(client, scrOptions), scrOptions.prefix());
  }

  @Override
  public Optional<CheckpointReader> restart() {
    return scr.restart().map(Reading::new);
  }

  @Override
  public CheckpointWriter start(String name) {
    return new Writing(scr.startCheckpoint(name));
  }

  @Override
  public void finish() {
    scr.finish();
  }

  @Override
  public void close() {
    scr.close();
  }

  private final class Reading implements CheckpointReader {
    private final Restart restart;

    Reading(Restart restart) {
      this.restart = restart;
    }

    @Override
    public String name() {
      return restart.name();
    }

    @Override
    public Path route(String file) {
      return restart.route(prefix.resolve(file).toString());
    }

    @Override
    public boolean complete(boolean valid) {
      return completes("restart from " + name(), () -> restart.complete(valid));
    }
  }

  private final class Writing implements CheckpointWriter {
    private final Output output;

    Writing(Output output) {
      this.output = output;
    }

    @Override
    public Path route(String file) {
      return output.route(prefix.resolve(file).toString());
    }

    @Override
    public boolean complete(boolean valid) {
      return completes("checkpoint " + output.name(), () -> output.complete(valid));
    }
  }

  private static boolean completes(String what, Runnable call) {
    try {
      call.run();
      return true;
    } catch (ScrException e) {
      if (!concernsOneDataset(e.fault())) {
        throw e;
      }
      System.err.println(what + " failed, the run goes on: " + e.getMessage());
      return false;
    }
  }

  private static boolean concernsOneDataset(Fault fault) {
    return switch (fault) {
      case NOT_VALID, NO_SPACE, IO, CORRUPT, FILE_CHANGED, NO_SUCH_FILE -> true;
      default -> false;
    };
  }
}
