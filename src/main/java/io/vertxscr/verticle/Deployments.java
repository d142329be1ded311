package io.vertxscr.verticle;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The verticles of a node, in the order of their files' names. Reading blocks: not for event loops.
 *
 * @param list ascending by file name
 */
public record Deployments(List<Deployment> list) {
  private static final String DIRECTORY = "verticles";

  public Deployments {
    list = list.stream().sorted(Comparator.comparing(Deployment::file)).toList();
  }

  /**
   * Reads every {@code *.json} of a directory. Classes may be in jars of that directory, too.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, naming the file, before anything is deployed
   */
  public static Deployments read(Path directory) {
    try {
      ClassLoader classes = withJars(files(directory, ".jar"));
      List<Deployment> list = new ArrayList<>();
      for (Path file : files(directory, ".json")) {
        list.add(Deployment.parse(file.getFileName().toString(), Files.readString(file), classes));
      }
      return new Deployments(list);
    } catch (IOException e) {
      throw new ScrException(
          Fault.BAD_CONFIGURATION, "verticle descriptions in " + directory + " cannot be read: "
              + ScrException.reason(e), e);
    }
  }

  private static List<Path> files(Path directory, String end) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  /** Classes of the program, then those of the jars; open as long as the process, as its verticles are. */
  private static ClassLoader withJars(List<Path> jars) throws IOException {
    ClassLoader program = Deployments.class.getClassLoader();
    List<URL> places = new ArrayList<>();
    for (Path jar : jars) {
      places.add(jar.toUri().toURL());
    }
    return jars.isEmpty() ? program : new URLClassLoader("verticles", places.toArray(URL[]::new), program);
  }

  /** Those that are part of the program, for use without an installation directory. */
  public static Deployments builtIn() {
    try {
      URI place = Deployments.class.getClassLoader().getResource(DIRECTORY).toURI();
      if (!place.getScheme().equals("jar")) {
        return read(Path.of(place));
      }
      try (FileSystem jar = FileSystems.newFileSystem(place, Map.of())) {
        return read(jar.getPath(DIRECTORY));
      }
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("the program has no readable " + DIRECTORY, e);
    }
  }

  /** Those whose class is a subclass of this one. */
  public Deployments of(Class<?> type) {
    return new Deployments(list.stream().filter(deployment -> type.isAssignableFrom(deployment.verticle())).toList());
  }

  /**
   * Deploys one after the other; the first that fails ends it, and its failure names the file. What was deployed by
   * then stays until the caller closes {@code vertx}.
   *
   * @param factory makes an instance of a verticle class, once for each of its instances
   * @param deployed is told the id of each deployment
   */
  public Future<Void> deploy(Vertx vertx, Function<Class<?>, Deployable> factory, Consumer<String> deployed) {
    Future<Void> all = Future.succeededFuture();
    for (Deployment next : list) {
      all = all.compose(_ -> deploy(vertx, factory, next)).onSuccess(deployed::accept).mapEmpty();
    }
    return all;
  }

  private static Future<String> deploy(Vertx vertx, Function<Class<?>, Deployable> factory, Deployment next) {
    return vertx.deployVerticle(() -> factory.apply(next.verticle()), next.options())
        .recover(cause -> Future.failedFuture(cause instanceof ScrException
            ? cause
            : new ScrException(Fault.INTERNAL, "verticle of " + next.file() + " does not start: " + cause, cause)));
  }
}
