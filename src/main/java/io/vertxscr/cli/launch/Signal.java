package io.vertxscr.cli.launch;

import io.vertx.core.json.JsonObject;
import java.util.Set;

/** Input of a launcher, from several threads, in one queue. */
public sealed interface Signal {
  /** A daemon serves. */
  record Ready(String node, String socket) implements Signal {}

  /** A daemon answers, with the nodes that it sees. */
  record Pong(String node, Set<String> members) implements Signal {}

  /** Something has happened, as on {@code scr.events}. */
  record Happened(JsonObject event) implements Signal {}

  /** A daemon has ended, or can no longer be reached. @param how the end of "its daemon ..." */
  record Gone(AttachedDaemon daemon, String how) implements Signal {}

  /** The prefix directory has answered, or has failed to. */
  record Answered() implements Signal {}

  /** The program has ended. */
  record Ended(int exit) implements Signal {}

  /** The job is to end. */
  record Stop(String why) implements Signal {}
}
