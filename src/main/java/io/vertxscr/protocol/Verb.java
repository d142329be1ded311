package io.vertxscr.protocol;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Requests of applications to their node. The constants are in the order in which a run uses them. */
public enum Verb {
  CONFIG("config", false, false),
  INIT("init", true, false),
  INIT_WAIT("init-wait", false, false),
  HAVE_RESTART("have-restart", true, true),
  START_RESTART("start-restart", true, true),
  COMPLETE_RESTART("complete-restart", true, true),
  START_OUTPUT("start-output", true, true),
  NEED_CHECKPOINT("need-checkpoint", false, false),
  SHOULD_EXIT("should-exit", false, false),
  ROUTE("route", false, false),
  SHARD("shard", false, false),
  COMPLETE_OUTPUT("complete-output", true, true),
  CURRENT("current", true, true),
  DROP("drop", true, true),
  DELETE("delete", true, true),
  FLUSH_TEST("flush-test", false, false),
  FLUSH_WAIT("flush-wait", false, false),
  FINALIZE("finalize", true, true),
  ABORT("abort", false, false),
  STATUS("status", false, false),
  SCRUB("scrub", false, false),
  DRAIN("drain", false, false),
  OPERATE("operate", false, false),
  EVENTS("events", false, false),
  ALIVE("alive", false, false);

  private static final Map<String, Verb> BY_WIRE_NAME =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Verb::wireName, Function.identity()));

  private final String wireName;
  private final boolean collective;
  private final boolean numbered;

  Verb(String wireName, boolean collective, boolean numbered) {
    this.wireName = wireName;
    this.collective = collective;
    this.numbered = numbered;
  }

  /** Last part of the address. */
  public String wireName() {
    return wireName;
  }

  /** Whether every rank of the run must call, and all get the same answer. */
  public boolean collective() {
    return collective;
  }

  /** Whether the body carries {@code call}, so that repeating it does nothing twice. */
  public boolean numbered() {
    return numbered;
  }

  /** The verb of this wire name; empty for words that are none. */
  public static Optional<Verb> of(String wireName) {
    return Optional.ofNullable(BY_WIRE_NAME.get(wireName));
  }
}
