package io.vertxscr.demo;

import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;

/**
 * Storage of the demo's nodes. Directories below one temporary directory, deleted at the end of the demo. Any thread.
 */
final class DemoStorage implements AutoCloseable {
  /** Leaves room below for directories and socket: a Unix socket's path has at most 107 bytes. */
  private static final int MAX_ROOT_BYTES = 50;

  private final Path root;
  private final Map<String, String> parameters;
  private final byte[] secret = new byte[ClusterAuthority.KEY_BYTES];

  private DemoStorage(Path root, Scheme scheme, int flushEvery, boolean inBackground) {
    this.root = root;
    this.parameters = Map.of(
        "SCR_CNTL_BASE", root.resolve("control").toString(), "SCR_CACHE_BASE", root.resolve("cache").toString(),
        "SCR_CACHE_SIZE", "1", "SCR_COPY_TYPE", scheme.name(), "SCR_SET_SIZE", "8",
        "SCR_FLUSH", "" + flushEvery, "SCR_FLUSH_ASYNC", inBackground ? "1" : "0",
        "SCR_JOB_ID", "1", "SCR_USER_NAME", "demo", "SCR_CLUSTER_NAME", "demo");
    new SecureRandom().nextBytes(secret);
  }

  /**
   * Creates it.
   *
   * @param flushEvery every n-th checkpoint goes to the prefix directory; 0 for none. In the background, unless the
   *     loss is one after which only that directory has a checkpoint: none might have come there by then.
   */
  static DemoStorage create(DemoPlan plan, Scheme scheme, int flushEvery) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    Path shortest = Path.of("/tmp");
    boolean tooLong = temporary.toString().length() > MAX_ROOT_BYTES && Files.isWritable(shortest);
    Path root = Files.createTempDirectory(tooLong ? shortest : temporary, "scr-demo");
    DemoStorage storage = new DemoStorage(root.toRealPath(), scheme, flushEvery, plan.restartsFromNewest());
    Files.write(Files.createFile(storage.secretFile(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))), storage.secret);
    return storage;
  }

  /** The nodes' configuration as environment variables; every parameter that matters is among them. */
  Map<String, String> environment() {
    return parameters;
  }

  /** Returns the storage as settings. */
  Settings settings() {
    return Settings.load(parameters, Optional.empty());
  }

  /** A file with the secret of the cluster. */
  Path secretFile() {
    return root.resolve("secret");
  }

  NodeDirectories of(String node) {
    return new NodeOptions(node, settings(), Credentials.ofOwn(), "127.0.0.1", 0, true).directories();
  }

  /** Deletes all that is stored on a node. Its ranks may still be writing: what they hold open has no name any more. */
  void lose(String node) {
    NodeDirectories directories = of(node);
    try {
      for (Path directory : new Path[] {directories.cache(), directories.control()}) {
        Path grave = Files.createTempDirectory(root, "dead");
        Files.move(directory, grave.resolve(node));
        Trees.delete(grave);
      }
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "storage of node " + node + " cannot be deleted: " + ScrException.reason(e), e);
    }
  }

  @Override
  public void close() {
    try {
      Trees.delete(root);
    } catch (IOException _) {
      // A rank that was being killed wrote meanwhile; now none can.
      closeAgain();
    }
  }

  private void closeAgain() {
    try {
      Trees.delete(root);
    } catch (IOException e) {
      System.err.println("scr: " + root + " cannot be deleted: " + ScrException.reason(e));
    }
  }
}
