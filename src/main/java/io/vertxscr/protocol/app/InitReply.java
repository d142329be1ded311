package io.vertxscr.protocol.app;

import io.vertxscr.model.Names;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;

/**
 * The rank is in the run ({@link Verb#INIT}).
 *
 * @param run names the run in all further calls; 1 to 2^53-1
 * @param node the node that answered
 * @param version of these messages; this is {@link #VERSION}
 * @param release of the node's program, for people: what SCR_Get_version tells
 * @param remarks startup warnings, in sentences, such as a start without checkpoint although there are
 *     checkpoints: the client of rank 0 alone has them, and says them on standard error
 */
public record InitReply(long run, String node, int version, String release, Optional<List<String>> remarks) {
  /** The version that this code speaks. */
  public static final int VERSION = 1;

  public InitReply {
    FieldChecks.run(run);
    Names.node(node);
    FieldChecks.range("version", version, 1, Integer.MAX_VALUE);
    FieldChecks.text("release", release);
    remarks = remarks.map(List::copyOf);
  }

  /** With nothing to say. */
  public InitReply(long run, String node, int version, String release) {
    this(run, node, version, release, Optional.empty());
  }
}
