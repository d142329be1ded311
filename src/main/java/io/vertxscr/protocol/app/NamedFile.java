package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;

/**
 * A rank's file placed by its client (docs/messages.md, "Files placed by the client").
 *
 * @param path below the prefix directory: absolute in a request, relative to the prefix in a reply
 * @param name where it is in the cache, relative to the rank's directory
 */
public record NamedFile(String path, String name) {
  public NamedFile {
    FieldChecks.text("path", path);
    FieldChecks.text("name", name);
  }
}
