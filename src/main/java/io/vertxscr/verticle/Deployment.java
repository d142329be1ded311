package io.vertxscr.verticle;

import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertxscr.config.Nearest;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.List;

/**
 * What one file of {@code verticles/} says.
 * <pre>
 *   {"verticle": "io.vertxscr.verticle.SessionVerticle",   class, implements Deployable
 *    "instances": 1,                                        optional, 1 to 1024
 *    "threading": "EVENT_LOOP",                             optional, or WORKER, VIRTUAL_THREAD
 *    "settings": {}}                                        optional, handed to the verticle as its config
 * </pre>
 *
 * @param file name of the file, for messages and for the order of deployment
 */
public record Deployment(
    String file, Class<? extends Deployable> verticle, int instances, ThreadingModel threading, JsonObject settings) {
  private static final List<String> KEYS = List.of("verticle", "instances", "threading", "settings");
  private static final List<ThreadingModel> THREADING =
      List.of(ThreadingModel.EVENT_LOOP, ThreadingModel.WORKER, ThreadingModel.VIRTUAL_THREAD);
  private static final int MAX_INSTANCES = 1024;

  /**
   * Parses one description.
   *
   * @param classes finds the verticle's class
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} that names the file and what is wrong in it
   */
  static Deployment parse(String file, String text, ClassLoader classes) {
    try {
      JsonObject json = new JsonObject(text);
      for (String key : json.fieldNames()) {
        if (!KEYS.contains(key)) {
          throw bad(file, "unknown key '" + key + "'" + Nearest.hint(key, KEYS));
        }
      }
      return new Deployment(file, verticle(file, json.getString("verticle"), classes), instances(file, json),
          threading(file, json.getString("threading", "EVENT_LOOP")),
          json.getJsonObject("settings", new JsonObject()));
    } catch (DecodeException | ClassCastException e) {
      throw bad(file, "not the JSON that is expected: " + e.getMessage());
    }
  }

  DeploymentOptions options() {
    return new DeploymentOptions().setInstances(instances).setThreadingModel(threading).setConfig(settings.copy());
  }

  private static Class<? extends Deployable> verticle(String file, String name, ClassLoader classes) {
    if (name == null) {
      throw bad(file, "no 'verticle'");
    }
    try {
      // Not initialized here: a class of a site must not run because its file was looked at.
      return Class.forName(name, false, classes).asSubclass(Deployable.class);
    } catch (ClassNotFoundException _) {
      throw bad(file, "no class " + name);
    } catch (ClassCastException _) {
      throw bad(file, name + " is not a Deployable");
    }
  }

  private static int instances(String file, JsonObject json) {
    Object value = json.getValue("instances", 1);
    if (value instanceof Integer instances && instances >= 1 && instances <= MAX_INSTANCES) {
      return instances;
    }
    throw bad(file, "instances is " + value + ": expected 1 to " + MAX_INSTANCES);
  }

  private static ThreadingModel threading(String file, String name) {
    return THREADING.stream().filter(t -> t.name().equals(name)).findFirst()
        .orElseThrow(() -> bad(file, "threading is '" + name + "': expected one of " + THREADING));
  }

  private static ScrException bad(String file, String what) {
    return new ScrException(Fault.BAD_CONFIGURATION, "verticle description " + file + ": " + what);
  }
}
