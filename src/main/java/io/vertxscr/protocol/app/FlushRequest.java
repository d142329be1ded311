package io.vertxscr.protocol.app;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;

/**
 * Whether a dataset is in the prefix directory ({@link Verb#FLUSH_TEST}, {@link Verb#FLUSH_WAIT}). Of one rank alone,
 * not numbered; asking changes nothing.
 *
 * @param name of the dataset
 */
public record FlushRequest(long run, int rank, String name) {
  public FlushRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    try {
      Names.dataset(name);
    } catch (ScrException e) {
      throw new ScrException(Fault.BAD_REQUEST, "field 'name': " + e.getMessage(), e);
    }
  }
}
