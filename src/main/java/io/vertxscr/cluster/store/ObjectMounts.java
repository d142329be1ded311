package io.vertxscr.cluster.store;

import io.vertxscr.config.ObjectSettings;
import io.vertxscr.config.ObjectSettings.Bucket;
import io.vertxscr.storage.LocalFiles.Mount;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.object.ObjectFileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Mounts the object stores of a process. Where there are none, no class of the client library is loaded and no thread
 * is started.
 */
public final class ObjectMounts {
  private ObjectMounts() {}

  /**
   * The files of the machine with what is mounted. Asks no store anything.
   *
   * @param environment of the process: endpoint, region and credentials are found as the client library does
   * @throws io.vertxscr.model.ScrException BAD_CONFIGURATION
   */
  public static LocalFiles files(ObjectSettings settings, Map<String, String> environment) {
    List<Mount> mounts = new ArrayList<>();
    for (Bucket bucket : settings.mounts()) {
      mounts.add(new Mount(bucket.directory(), Opened.mount(bucket, settings, environment)));
    }
    return LocalFiles.ofThisMachine(mounts);
  }

  /** Loaded with the first mount. */
  private static final class Opened {
    private static final ScheduledExecutorService RENEWALS = Executors.newSingleThreadScheduledExecutor(work -> {
      Thread thread = new Thread(work, "scr-object-locks");
      thread.setDaemon(true);
      return thread;
    });

    private static ObjectFileSystem mount(Bucket bucket, ObjectSettings settings, Map<String, String> environment) {
      ObjectFileSystem system = new ObjectFileSystem(
          S3Store.open(bucket.bucket(), settings.pathStyle(), environment), bucket.directory(), bucket.keyPrefix(),
          settings.partBytes(), new ObjectFileSystem.MountContext(
              System::nanoTime, () -> UUID.randomUUID().toString(), Opened::matcher));
      long everyMs = ObjectFileSystem.renewal().toMillis();
      RENEWALS.scheduleWithFixedDelay(system::renewLocks, everyMs, everyMs, TimeUnit.MILLISECONDS);
      return system;
    }

    private static PathMatcher matcher(String pattern) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher(pattern);
      return path -> matcher.matches(Path.of(path.toString()));
    }
  }
}
