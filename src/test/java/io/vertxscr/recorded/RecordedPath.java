package io.vertxscr.recorded;

import java.io.File;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.stream.StreamSupport;

/** A path of a file system, by way of {@link RecordedFileSystem}. */
record RecordedPath(Path plain, RecordedFileSystem system) implements InvocationHandler {
  /** @param path may be one already: the JDK makes some paths by way of the default file system */
  static Path of(Path path, RecordedFileSystem system) {
    return path == null ? null : (Path) Proxy.newProxyInstance(
        RecordedPath.class.getClassLoader(), new Class<?>[] {Path.class}, new RecordedPath(plain(path), system));
  }

  /** The path itself. */
  static Path plain(Path path) {
    return path != null && Proxy.isProxyClass(path.getClass())
        && Proxy.getInvocationHandler(path) instanceof RecordedPath recorded ? recorded.plain : path;
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("getFileSystem")) {
      return system;
    }
    if (method.getName().equals("toFile")) {
      return system.isOfTheMachine() ? new File(plain.toString()) : plain.toFile();
    }
    Object[] plainly = arguments == null ? new Object[0] : arguments.clone();
    for (int i = 0; i < plainly.length; i++) {
      plainly[i] = plainly[i] instanceof Path path ? plain(path) : plainly[i];
    }
    try {
      return switch (method.invoke(plain, plainly)) {
        case Path path -> of(path, system);
        case Iterator<?> _ -> StreamSupport.stream(plain.spliterator(), false)
            .map(name -> of(name, system)).iterator();
        case null -> null;
        case Object other -> other;
      };
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
