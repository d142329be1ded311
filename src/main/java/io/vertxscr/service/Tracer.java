package io.vertxscr.service;

/** Where ended spans go. Any thread; must neither block nor throw. */
@FunctionalInterface
public interface Tracer {
  /** A span has ended, once. */
  void ended(TraceSpan span);
}
