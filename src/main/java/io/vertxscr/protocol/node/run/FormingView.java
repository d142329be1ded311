package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;

/**
 * The run that forms, for those who wait in init.
 *
 * @param first the lowest rank that is here; it speaks for all
 * @param waitsFor continues "init waits", as in "for 1 of 8 ranks: rank 3"
 */
public record FormingView(int first, String waitsFor) {
  public FormingView {
    FieldChecks.rank("first", first);
    FieldChecks.sentence("waitsFor", waitsFor);
  }
}
