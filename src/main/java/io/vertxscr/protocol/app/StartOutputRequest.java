package io.vertxscr.protocol.app;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.Optional;

/**
 * Starts a dataset ({@link Verb#START_OUTPUT}). Repeating it with the same number gives the same answer.
 *
 * @param call counts up by one with every numbered call of the rank, from 1
 * @param name the same for all ranks; empty: the system names it after its id
 * @param flags 1 checkpoint, 2 output, 3 both; the same for all ranks
 */
public record StartOutputRequest(long run, int rank, long call, Optional<String> name, int flags) {
  public StartOutputRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
    name.ifPresent(StartOutputRequest::checkName);
    DatasetFlags.ofBits(flags);
  }

  /** Decodes the flags. */
  public DatasetFlags datasetFlags() {
    return DatasetFlags.ofBits(flags);
  }

  private static void checkName(String name) {
    try {
      Names.dataset(name);
    } catch (ScrException e) {
      throw new ScrException(Fault.BAD_REQUEST, "field 'name': " + e.getMessage(), e);
    }
  }
}
