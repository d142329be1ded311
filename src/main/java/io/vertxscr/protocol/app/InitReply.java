package io.vertxscr.protocol.app;

import io.vertxscr.model.Names;
import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;

/**
 * The rank is in the run ({@link Verb#INIT}).
 *
 * @param run names the run in all further calls; 1 to 2^53-1
 * @param node the node that answered
 * @param version of these messages; this is {@link #VERSION}
 * @param release of the node's program, for people: what SCR_Get_version tells
 */
public record InitReply(long run, String node, int version, String release) {
  /** The version that this code speaks. */
  public static final int VERSION = 1;

  public InitReply {
    Checks.run(run);
    Names.node(node);
    Checks.range("version", version, 1, Integer.MAX_VALUE);
    Checks.text("release", release);
  }
}
