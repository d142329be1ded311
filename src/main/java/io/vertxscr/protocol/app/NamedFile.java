package io.vertxscr.protocol.app;

import io.vertxscr.protocol.FieldChecks;

/**
 * One file of a rank, where the client places files itself (docs/messages.md, "Files placed by the client").
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
