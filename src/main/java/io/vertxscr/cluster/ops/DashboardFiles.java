package io.vertxscr.cluster.ops;

import io.vertx.core.buffer.Buffer;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the dashboard's page, of this program and nobody else's. They contain nothing of the cluster, so
 * everybody may have them.
 */
final class DashboardFiles {
  /** Scripts, styles and data come from this daemon alone, none from within the page; nobody frames it. */
  static final Map<String, String> HEADERS = Map.of(
      "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer",
      "Cross-Origin-Resource-Policy", "same-origin", "Cache-Control", "no-cache");

  private static final Map<String, PageFile> FILES = Map.of(
      "/", file("index.html", "text/html; charset=utf-8"),
      "/dashboard.css", file("dashboard.css", "text/css; charset=utf-8"),
      "/dashboard.js", file("dashboard.js", "text/javascript; charset=utf-8"),
      "/dashboard.svg", file("dashboard.svg", "image/svg+xml"));

  private DashboardFiles() {}

  /** One file. */
  record PageFile(String type, Buffer bytes) {}

  static Optional<PageFile> find(String path) {
    return Optional.ofNullable(FILES.get(path));
  }

  private static PageFile file(String name, String type) {
    try (InputStream file = DashboardFiles.class.getResourceAsStream("dashboard/" + name)) {
      if (file == null) {
        throw new ScrException(Fault.INTERNAL, "dashboard/" + name + " is not in the program");
      }
      return new PageFile(type, Buffer.buffer(file.readAllBytes()));
    } catch (IOException e) {
      throw new ScrException(Fault.INTERNAL, "dashboard/" + name + " cannot be read: " + e, e);
    }
  }
}
