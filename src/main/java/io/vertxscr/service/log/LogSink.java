package io.vertxscr.service.log;

import io.vertxscr.format.prefix.LogLine;
import java.util.List;

/** Destination of log lines. Blocking; one call at a time. */
interface LogSink {
  /** Adds lines. @throws io.vertxscr.model.ScrException what cannot be written now is tried again */
  void append(List<LogLine> lines);

  /** No more lines come. */
  default void close() {}
}
