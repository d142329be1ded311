package io.vertxscr.protocol.app;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * A collective call about a dataset that is there already ({@link Verb#CURRENT}, {@link Verb#DROP}, {@link
 * Verb#DELETE}). Repeating it with the same number gives the same answer.
 *
 * @param call counts up by one with every numbered call of the rank, from 1
 * @param name of the dataset; the same for all ranks
 */
public record NameRequest(long run, int rank, long call, String name) {
  public NameRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
    try {
      Names.dataset(name);
    } catch (ScrException e) {
      throw new ScrException(Fault.BAD_REQUEST, "field 'name': " + e.getMessage(), e);
    }
  }
}
