package io.vertxscr.metrics;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.Tracer;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Exports spans by a library that the site has put into a directory. Closing it exports what waits. */
public interface TraceExport extends Tracer, AutoCloseable {
  @Override
  void close();

  /**
   * Begins to export the spans of a node (docs/flows/traces.md).
   *
   * @param jars of OpenTelemetry's SDK, its autoconfigure extension and exporters, with all they need
   * @throws ScrException BAD_CONFIGURATION if there are none, or the library refuses its configuration
   */
  static TraceExport open(Path jars, String node) {
    List<URL> urls = new ArrayList<>();
    try (Stream<Path> files = Files.list(jars)) {
      for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).sorted().toList()) {
        urls.add(jar.toUri().toURL());
      }
    } catch (IOException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "--traces " + jars + " cannot be read: " + e, e);
    }
    if (urls.isEmpty()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "--traces " + jars + " has no jars");
    }
    try {
      return (TraceExport) new SiteLoader(urls).loadClass(SiteLoader.EXPORTER)
          .getConstructor(String.class).newInstance(node);
    } catch (ReflectiveOperationException | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ScrException(Fault.BAD_CONFIGURATION, "--traces " + jars + ": " + cause, e);
    }
  }

  /** Classes of the site's jars, and ours that use them. */
  final class SiteLoader extends URLClassLoader {
    private static final String EXPORTER = "io.vertxscr.metrics.OpenTelemetryExport";

    SiteLoader(List<URL> jars) {
      super(Stream.concat(Stream.of(own()), jars.stream()).toArray(URL[]::new), TraceExport.class.getClassLoader());
    }

    private static URL own() {
      String name = "/" + EXPORTER.replace('.', '/') + ".class";
      URL there = TraceExport.class.getResource(name);
      String text = there.toString();
      String home = text.substring(0, text.length() - name.length() + 1);
      try {
        return URI.create(home.startsWith("jar:") ? home.substring(4, home.indexOf("!/")) : home).toURL();
      } catch (MalformedURLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(EXPORTER)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known != null ? known : findClass(name);
      }
    }
  }
}
