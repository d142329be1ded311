package io.vertxscr.system;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * JVM options for short-lived programs: hardly any compiler, and a class cache of a daemon. A daemon is ready after
 * less than half the CPU time then, and in ten seconds of life its compiler takes half as much as otherwise. The cache
 * is made once per build, by the first who asks; not the one that {@code bin/scr --prepare} makes from many
 * checkpoints, for it takes a fifth of that one's time.
 */
public final class ShortLife {
  private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=8";
  private static final Path TARGET = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath().resolve("target");
  /** A busy machine takes minutes for a cache. */
  private static final int END_S = 300;
  private static String options;

  private ShortLife() {}

  /** For SCR_JAVA_OPTIONS. Where there is no cache, or it does not fit, the JVM starts without, and says nothing. */
  public static synchronized String javaOptions() {
    if (options == null) {
      options = make();
    }
    return options;
  }

  private static String make() {
    Path cache = TARGET.resolve("daemon-of-tests.aot");
    try {
      Path jar = TARGET.resolve("vertx-scr.jar");
      if (!Files.exists(cache) || Files.getLastModifiedTime(cache).compareTo(Files.getLastModifiedTime(jar)) < 0) {
        Path draft = TARGET.resolve("daemon-of-tests.aot.new");
        rehearse(draft);
        Files.move(draft, cache, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (Exception e) {
      System.out.println("daemons start without a cache of classes: " + e);
      return ONE_COMPILER;
    }
    return ONE_COMPILER + " -XX:AOTCache=" + cache + " -Xlog:disable -Xlog:all=error:stderr";
  }

  /** The classes that a daemon beside another one needs for a checkpoint; it writes them down when it ends. */
  private static void rehearse(Path cache) throws Exception {
    try (DaemonCluster two = new DaemonCluster(Map.of("SCR_FLUSH", "1", "SCR_JAVA_OPTIONS", ONE_COMPILER))) {
      DaemonProcess first = two.start("a");
      DaemonProcess trained = two.startSoon("b", Map.of("SCR_JAVA_OPTIONS",
          ONE_COMPILER + " -XX:AOTCacheOutput=" + cache)).awaitReady();
      EmbeddedRun.all(SocketRun.twoOnEach(two.prefix(), List.of(first, trained)).start(scr -> {
        RankProgram.checkpoint(scr, two.prefix(), 1, 1);
        scr.finish();
        return 1;
      }));
      trained.terminate();
      trained.awaitExit(END_S);                           // the cache is written by then
    }
  }
}
