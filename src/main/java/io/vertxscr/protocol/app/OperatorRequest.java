package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;
import java.util.Objects;

/** What an operator wants of a dataset of the caches. Idempotent. @param dataset its id */
public record OperatorRequest(OperatorVerb what, int dataset) {
  /** What can be wanted. */
  public enum OperatorVerb {
    /** Bring it to the prefix directory. */
    FLUSH,
    /** Forget it: it leaves the caches and the index, its files in the prefix directory stay. */
    DROP
  }

  public OperatorRequest {
    Objects.requireNonNull(what);
    FieldChecks.dataset(dataset);
  }
}
