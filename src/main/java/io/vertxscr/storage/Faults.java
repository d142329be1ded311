package io.vertxscr.storage;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;

/** The one place that turns an error of the operating system into a {@link Fault}. */
public final class Faults {
  private Faults() {}

  /** NO_SPACE where the file system or a quota is full, else IO; the message names the path. */
  public static ScrException io(Path path, IOException e) {
    String reason = ScrException.reason(e);
    boolean full = reason.contains("No space left") || reason.contains("quota exceeded");
    return new ScrException(full ? Fault.NO_SPACE : Fault.IO, path + ": " + reason, e);
  }
}
