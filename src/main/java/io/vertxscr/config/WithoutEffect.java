package io.vertxscr.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Names that SCR knows and that do nothing here, each with the reason.
 *
 * <p>A configuration that was written for SCR has them, in its files and in its environment: they fail no run, and
 * a user who sets one is told so. Names with an effect: {@link Parameter}.
 */
public enum WithoutEffect {
  SCR_FLUSH_TYPE(Reason.TRANSFER),
  SCR_FLUSH_POSTSTAGE("the daemons finish what is on its way after the program has ended, scr postrun waits for it"),
  SCR_FLUSH_ASYNC_PERCENT("flushes are limited by SCR_FLUSH_ASYNC_BW, and pause while the application writes"),
  SCR_MPI_BUF_SIZE("redundancy is computed by the daemons, without MPI; pieces are as large as SCR_FILE_BUF_SIZE"),
  SCR_WATCHDOG_TIMEOUT_PFS("SCR_WATCHDOG_TIMEOUT is the limit for phases that write to the prefix directory too"),
  SCR_DROP_AFTER_CURRENT("checkpoints that are newer than the current one stay in the index"),
  SCR_COPY_METADATA("flushed files always have the mode and the time of the cached ones"),
  SCR_AXL_MKDIR(Reason.DIRECTORIES),
  SCR_PRESERVE_DIRECTORIES(Reason.DIRECTORIES),
  SCR_HOP_DISTANCE("redundancy sets follow SCR_GROUP and SCR_SET_SIZE"),
  SCR_TRANSFER_SECS("there is no transfer process to poll, the daemons are told"),
  SCR_OPEN_TRIES(Reason.RETRIES),
  SCR_OPEN_USLEEP(Reason.RETRIES),
  SCR_NODE_TESTS("nodes are told apart by whether their daemons answer"),
  SCR_LOG_DB_ENABLE(Reason.DATABASE),
  SCR_LOG_DB_DEBUG(Reason.DATABASE),
  SCR_LOG_DB_HOST(Reason.DATABASE),
  SCR_LOG_DB_NAME(Reason.DATABASE),
  SCR_LOG_DB_USER(Reason.DATABASE),
  SCR_LOG_DB_PASS(Reason.DATABASE),
  SCR_DB_ENABLE(Reason.DATABASE),
  SCR_DB_DEBUG(Reason.DATABASE),
  SCR_DB_HOST(Reason.DATABASE),
  SCR_DB_NAME(Reason.DATABASE),
  SCR_DB_USER(Reason.DATABASE),
  SCR_DB_PASS(Reason.DATABASE),
  CNTLDIR("the control directory is below SCR_CNTL_BASE, and each daemon checks it when it starts"),
  CACHEDIR("stores are SCR_CACHE_BASE and those of STORE lines, and each node checks them when a run begins");

  private final String reason;

  WithoutEffect(String reason) {
    this.reason = reason;
  }

  /** Why it has none, in half a sentence. */
  public String reason() {
    return reason;
  }

  /** Whether it begins a line of its own, with keys that are about it. */
  boolean isEntry() {
    return this == CNTLDIR || this == CACHEDIR;
  }

  static Optional<WithoutEffect> named(String name) {
    return Arrays.stream(values()).filter(one -> one.name().equals(name)).findFirst();
  }

  static List<String> names() {
    return Arrays.stream(values()).map(WithoutEffect::name).toList();
  }

  private static final class Reason {
    static final String TRANSFER = "the daemons copy files themselves, in the background with SCR_FLUSH_ASYNC=1";
    static final String DIRECTORIES = "directories in the prefix directory are made as the paths of files need them";
    static final String RETRIES = "a flush that fails is tried again as a whole, at growing intervals";
    static final String DATABASE =
        "there is no log in a database; that of the prefix directory and syslog have these lines";
  }
}
