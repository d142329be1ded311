package io.vertxscr.system;

import io.vertxscr.config.Settings;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.StoreDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of the nodes of a test, as their system's environment gives them. */
final class TestSettings {
  private TestSettings() {}

  /** Settings with everything below this directory. One checkpoint cached with XOR, none flushed, by default. */
  static Settings in(Path directory, Map<String, String> parameters) {
    Map<String, String> environment = new HashMap<>(Map.of(
        "SCR_CNTL_BASE", directory.resolve("cntl").toString(),
        "SCR_CACHE_BASE", directory.resolve("cache").toString(),
        "SCR_FLUSH", "0",
        "SCR_JOB_ID", "1",
        "SCR_JOB_NAME", "test",
        "SCR_USER_NAME", "user",
        "SCR_CLUSTER_NAME", "cluster"));
    environment.putAll(parameters);
    return Settings.load(environment, Optional.empty());
  }

  /** Settings with these descriptors, and the policy's caches and flushes, by the system's file. */
  static Settings in(Path directory, RunPolicy policy) throws IOException {
    List<String> lines = new ArrayList<>(List.of(
        "SCR_CNTL_BASE=" + directory.resolve("cntl"), "SCR_CACHE_BASE=" + directory.resolve("cache"),
        "SCR_JOB_ID=1", "SCR_USER_NAME=user", "SCR_COPY_TYPE=FILE",
        "SCR_FLUSH=" + policy.flush().everyCheckpoints(), "SCR_FLUSH_ASYNC=" + flag(policy.flush().background()),
        "SCR_CACHE_PURGE=" + flag(policy.cache().purge()),
        "SCR_FETCH_BYPASS=" + flag(policy.fetch().bypass()),
        "SCR_GLOBAL_RESTART=" + flag(policy.fetch().globalRestart()),
        "SCR_FLUSH_ON_RESTART=" + flag(policy.fetch().flushOnRestart()),
        "SCR_CACHE_EVICT=" + (policy.cache().evictFirst() ? "EARLY" : "LATE"),
        "SCR_CACHE_FULL=" + (policy.cache().bypassWhenFull() ? "BYPASS" : "REFUSE"),
        "SCR_CRC_ON_DELETE=" + flag(policy.cache().crcOnDelete()),
        "SCR_SMALL_BYTES=" + policy.cache().smallBytes()));
    for (StoreDescriptor store : policy.descriptors().stores()) {
      lines.add("STORE=" + store.base() + " GROUP=" + store.group() + " COUNT=" + store.count() + " MKDIR="
          + flag(store.mkdir()) + (store.sizeBytes().isPresent() ? " SIZE=" + store.sizeBytes().getAsLong() : ""));
    }
    for (CheckpointDescriptor checkpoint : policy.descriptors().checkpoints()) {
      lines.add("CKPT=" + checkpoint.index() + " INTERVAL=" + checkpoint.interval() + " STORE="
          + checkpoint.storeBase() + " TYPE=" + checkpoint.redundancy().scheme() + " BYPASS="
          + flag(checkpoint.bypass()) + policy.descriptors().compression(checkpoint)
              .map(how -> " COMPRESS=ZSTD COMPRESS_LEVEL=" + how.level()).orElse(""));
    }
    return Settings.load(Map.of(), Optional.of(Files.write(directory.resolve("scr.conf"), lines)));
  }

  private static String flag(boolean set) {
    return set ? "1" : "0";
  }
}
