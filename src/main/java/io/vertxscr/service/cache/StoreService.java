package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.protocol.node.run.NodeSpace;
import io.vertxscr.protocol.node.run.StoreSpace;
import io.vertxscr.protocol.node.run.StoreToCheck;
import io.vertxscr.protocol.node.run.StoresChecked;
import io.vertxscr.service.Loop;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this node can use the stores that a run wants, before the run begins. On the node's loop. */
public final class StoreService {
  private static final Logger LOG = LoggerFactory.getLogger(StoreService.class);

  private final Loop loop;
  private final String self;
  private final DatasetStore store;
  private final NodeDirectories directories;
  /** The stores that runs would use if only this daemon were asked. */
  private final List<String> own;
  private final Set<List<String>> told = new HashSet<>();

  /** Serves a node. @param standard what holds where a run says nothing else */
  public StoreService(Loop loop, String self, DatasetStore store, Descriptors standard) {
    this.loop = loop;
    this.self = self;
    this.store = store;
    this.directories = store.directories();
    this.own = standard.caches().stream().map(StoreDescriptor::base).toList();
  }

  /** Creates missing cache directories in these stores, and checks them. If all are right, the run may use them. */
  public Future<StoresChecked> check(CheckStores wanted) {
    List<String> bases = wanted.stores().stream().map(StoreToCheck::base).toList();
    if (!own.containsAll(bases) && told.add(bases)) {
      LOG.info("this daemon is configured to cache in {}, and its run caches in {}: what a run says counts on all"
          + " nodes", own, bases);
    }
    return loop.blocking("check the stores of a run", () -> wanted.stores().stream()
        .flatMap(store -> problem(store)
            .flatMap(_ -> problem(store)).stream()).findFirst()).map(problem -> {   // or it was an error that passes
          if (problem.isEmpty()) {
            bases.forEach(store::use);
          }
          return new StoresChecked(problem);
        });
  }

  /** Returns the space in the stores that runs use here; looked at in the background. */
  public Future<NodeSpace> space() {
    Map<String, Long> used = new TreeMap<>();
    own.forEach(base -> used.put(base, 0L));
    store.list().forEach(record -> used.merge(record.cache().base(), store.bytes(record.descriptor().id()), Long::sum));
    return loop.quietly("space in the stores", () -> new NodeSpace(used.entrySet().stream().map(one -> {
      Path there = Presence.nearest(directories.path(one.getKey()));
      return new StoreSpace(
          one.getKey(), LocalFiles.usableBytes(there), LocalFiles.wholeBytes(there), one.getValue());
    }).toList()));
  }

  private Optional<String> problem(StoreToCheck store) {
    String what = "node " + self + ": store " + store.base() + " cannot be used: ";
    Path base = directories.path(store.base());
    try {
      if (!store.mkdir() && Presence.follow(base).isEmpty()) {
        return Optional.of(what + "it is not there, and with MKDIR=0 it is not made");
      }
      Path cache = directories.path(directories.cache(store.base()).path());
      Path there = Presence.nearest(cache);
      if (!Files.isDirectory(there)) {
        return Optional.of(what + there + " is not a directory");
      }
      if (!Files.isWritable(there)) {
        return Optional.of(what + "directory " + there + " is not writable");
      }
      directories.create(cache);
      return Optional.empty();
    } catch (ScrException e) {
      return Optional.of(what + e.getMessage());
    }
  }
}
