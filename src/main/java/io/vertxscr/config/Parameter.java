package io.vertxscr.config;

import static io.vertxscr.config.Parameter.Scope.LAUNCHER;
import static io.vertxscr.config.Parameter.Scope.NODE;
import static io.vertxscr.config.Parameter.Scope.PROCESS;
import static io.vertxscr.config.Parameter.Scope.RUN;

import io.vertxscr.config.policy.Syslog;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Limits;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Parameters with an effect, under their names in the environment and in configuration files. Those of SCR that have
 * none here are {@link WithoutEffect}.
 */
public enum Parameter {
  SCR_ENABLE(PROCESS, new Kind.Flag(), "1", "0: every call succeeds and does nothing"),
  SCR_PREFIX(PROCESS, new Kind.Place(), "", "directory on the parallel file system; relative to the working directory"),
  SCR_INIT_NOTICE_SECONDS(PROCESS, new Kind.Int(0, 1_000_000), "30",
      "seconds until an init that waits says what for, and again after four times as long, and so on; 0: never,"
          + " nor does scr run then"),
  SCR_DEBUG(RUN, new Kind.Int(0, 2), "0",
      "1 or 2: rank 0 prints each operation, commands show stack traces, the leader logs the configuration"),
  SCR_JOB_NAME(RUN, new Kind.Text(), "", "name of the job in dataset descriptors"),

  SCR_JOB_ID(NODE, new Kind.Text(), "local", "allocation; from SLURM, Flux, PBS or LSF where it is not set"),
  SCR_USER_NAME(NODE, new Kind.Text(), "", "owner of the directories; USER where it is not set"),
  SCR_CLUSTER_NAME(NODE, new Kind.Text(), "", "name of the machine in dataset descriptors"),
  SCR_CNTL_BASE(NODE, new Kind.Directory(), "/tmp", "base of the control directories, on each node"),
  SCR_ALLOWED_BASES(NODE, new Kind.Directories(), "",
      "directories below which stores and control directories are allowed; empty: anywhere"),
  SCR_FILE_BUF_SIZE(NODE, new Kind.Bytes(1, Long.MAX_VALUE), "" + Limits.PIECE_BYTES,
      "bytes of a transfer buffer, 256KB to 4MB; each thread has two"),
  SCR_BRIDGE_TCP(NODE, new Kind.Int(-1, 65_535), "-1",
      "port of the loopback address for applications, beside the Unix socket; 0: any, -1: none"),

  SCR_OBJECT_MOUNT(NODE, new Kind.Text(), "",
      "object stores as directories: /directory=s3://bucket/prefix, several with spaces between"),
  SCR_OBJECT_PART(NODE, new Kind.Bytes(ObjectSettings.MIN_PART_BYTES, ObjectSettings.MAX_PART_BYTES), "16MB",
      "bytes of a part of a multipart upload: 8MB, 16MB, 32MB or 64MB; a file has at most 10000"),
  SCR_OBJECT_PATH_STYLE(NODE, new Kind.Flag(), "0",
      "1: requests to object stores have the bucket in their path, as servers of one's own need it"),

  SCR_CACHE_BASE(RUN, new Kind.Directory(), "/tmp", "base of the cache directories, on each node"),
  SCR_CACHE_SIZE(RUN, new Kind.Int(0, 1024), "1", "checkpoints kept in the cache; 0: none, they bypass it"),
  SCR_CACHE_BYPASS(RUN, new Kind.Flag(), "0", "1: files are written directly to the prefix directory"),
  SCR_CACHE_EVICT(RUN, new Kind.Word(List.of("LATE", "EARLY")), "LATE",
      "eviction after the next dataset is protected, or before it is written: the count is exact then"),
  SCR_CACHE_FULL(RUN, new Kind.Word(List.of("REFUSE", "BYPASS")), "REFUSE",
      "a phase without room is refused, or bypasses the cache; so does a restart then"),
  SCR_CACHE_PURGE(RUN, new Kind.Flag(), "0", "1: caches are emptied at each launch"),
  SCR_COPY_TYPE(RUN, new Kind.Word(copyTypes()), "XOR", "redundancy scheme of cached datasets; FILE: as CKPT says"),
  SCR_GROUP(RUN, new Kind.Text(), GroupDescriptors.NODE, "failure group: no redundancy set has two members of one"),
  SCR_SET_SIZE(RUN, new Kind.Int(2, Redundancy.MAX_SET_SIZE), "" + Limits.DEFAULT_SET_SIZE,
      "minimum size of a redundancy set"),
  SCR_SET_FAILURES(RUN, new Kind.Int(1, 255), "2",
      "tolerated losses in a set: with RS, and if set with PARTNER"),

  SCR_FLUSH(RUN, new Kind.Int(0, Integer.MAX_VALUE), "10",
      "every n-th checkpoint is flushed to the prefix directory; 0: none"),
  SCR_FLUSH_ASYNC(RUN, new Kind.Flag(), "1", "1: flushes run in the background; 0: complete-output waits"),
  SCR_FLUSH_ASYNC_BW(RUN, new Kind.Bytes(0, Long.MAX_VALUE), "0",
      "bandwidth of background flushes in bytes a second, all nodes together; 0: no limit"),
  SCR_FLUSH_WIDTH(RUN, new Kind.Int(1, 1 << 20), "256", "concurrent files of flushes, all nodes together"),
  SCR_FLUSH_ON_RESTART(RUN, new Kind.Flag(), "0", "1: cached datasets are flushed before a run begins"),
  SCR_GLOBAL_RESTART(RUN, new Kind.Flag(), "0", "1: the same, and every rank restarts in the prefix directory"),
  SCR_FETCH(RUN, new Kind.Flag(), "1", "0: nothing is fetched from the prefix directory"),
  SCR_FETCH_BYPASS(RUN, new Kind.Flag(), "0", "1: ranks read in the prefix directory"),
  SCR_FETCH_WIDTH(RUN, new Kind.Int(1, 1 << 20), "256", "concurrent files of a fetch, all nodes together"),
  SCR_DISTRIBUTE(RUN, new Kind.Flag(), "1", "0: nothing is restored from the caches"),
  SCR_CURRENT(RUN, new Kind.Text(), "", "name of the dataset to restart from, at each launch"),
  SCR_RESTART_LOOP_LIMIT(RUN, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "quarantine after n runs without a new checkpoint; 0: only failures during the read count"),
  SCR_VERIFY_ON_RESTART(RUN, new Kind.Word(List.of("CHANGED", "ALWAYS")), "CHANGED",
      "ALWAYS: a restart also reads cached files that nobody has touched since they were right, on this boot"),
  SCR_PREFIX_SIZE(RUN, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "checkpoints kept in the prefix directory; 0: all"),
  SCR_PREFIX_PURGE(RUN, new Kind.Flag(), "0",
      "1: all datasets of the prefix directory are deleted at each launch"),
  SCR_CRC_ON_COPY(RUN, alwaysChecked(), "1", "checksums are always computed with redundancy"),
  SCR_CRC_ON_FLUSH(RUN, alwaysChecked(), "1", "flushed files are always verified and checksummed"),
  SCR_SMALL_BYTES(RUN, new Kind.Bytes(0, Limits.MAX_SMALL_BYTES), "64KB",
      "bytes of all files of a node that go to the nodes of its sets in messages; 0: none does"),
  SCR_CRC_ON_DELETE(RUN, new Kind.Flag(), "0", "1: files are checked before their eviction"),
  SCR_USE_CONTAINERS(RUN, new Kind.Flag(), "0", "1: files are packed into containers in the prefix directory"),
  SCR_CONTAINER_SIZE(RUN, new Kind.Bytes(FlushDescriptor.MIN_CONTAINER_BYTES, Long.MAX_VALUE), "100GB",
      "bytes of a container"),
  SCR_CONTAINER_ALIGN(RUN, new Kind.Bytes(1, Long.MAX_VALUE), "1",
      "alignment of each node's data in a container, in bytes, such as the file system's stripe"),

  SCR_CHECKPOINT_INTERVAL(RUN, new Kind.Int(0, Integer.MAX_VALUE), "0", "need-checkpoint: yes at every n-th call"),
  SCR_CHECKPOINT_SECONDS(RUN, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "need-checkpoint: yes so many seconds after the last checkpoint"),
  SCR_CHECKPOINT_OVERHEAD(RUN, new Kind.Percent(), "0", "need-checkpoint: maximum overhead of checkpoints in percent"),
  SCR_CHECKPOINT_OPTIMAL(RUN, new Kind.Flag(), "0",
      "1: need-checkpoint by the optimal interval from costs and failure rates"),
  SCR_HALT_SECONDS(RUN, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "should-exit: yes so many seconds before the end of the allocation"),
  SCR_END_TIME(NODE, new Kind.Time(), "", "end of the allocation, seconds since 1970; else the batch system is asked"),
  SCR_SCAVENGE_SECONDS(NODE, new Kind.Int(0, Integer.MAX_VALUE), "" + JobSettings.SCAVENGE_SECONDS,
      "seconds until daemons scavenge after the death of a run, and before the end of the allocation; 0: never"),
  SCR_SCRUB_SECONDS(NODE, new Kind.Int(0, Integer.MAX_VALUE), "" + ScrubSettings.SECONDS,
      "seconds within which each daemon reads all that it holds once, and has damage repaired; 0: never by itself"),
  SCR_SCRUB_BW(NODE, new Kind.Bytes(1, Long.MAX_VALUE), "100MB", "upper bound of that in bytes a second, on each node"),
  SCR_SCRUB_PREFIX_SECONDS(NODE, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "seconds within which every published dataset is read once, by the leader alone; 0: never by itself"),
  SCR_HEAL_SECONDS(NODE, new Kind.Int(0, Integer.MAX_VALUE), "" + HealSettings.SECONDS,
      "seconds after the last loss or arrival of a node until the others make again what was lost, if no run is on; 0: "
          + "never"),
  SCR_HEAL_BW(NODE, new Kind.Bytes(1, Long.MAX_VALUE), "1GB",
      "bandwidth of that in bytes a second that are made, all nodes together"),
  SCR_HALT_EXIT(RUN, new Kind.Flag(), "0", "1: ranks exit by themselves when the run is to halt"),
  SCR_HALT_ENABLED(RUN, new Kind.Flag(), "0", "alias of SCR_HALT_EXIT, which has precedence"),
  SCR_RUNS(LAUNCHER, new Kind.Int(-1, Integer.MAX_VALUE), "1", "scr run: total number of runs; -1: no limit"),
  SCR_MIN_NODES(LAUNCHER, new Kind.Int(0, 1 << 20), "0", "scr run: minimum number of nodes; 0: that of the last run"),
  SCR_EXCLUDE_NODES(LAUNCHER, new Kind.Text(), "", "scr run: excluded nodes, n[1-3],n7"),
  SCR_WATCHDOG(LAUNCHER, new Kind.Flag(), "0", "scr run: 1: kill a hanging run, by learned times of its phases"),
  SCR_WATCHDOG_TIMEOUT(LAUNCHER, new Kind.Int(0, Integer.MAX_VALUE), "0",
      "scr run: kill a run after so many seconds without a phase; 0: see SCR_WATCHDOG"),
  SCR_LOG_ENABLE(RUN, new Kind.Flag(), "1", "0: no log in the prefix directory"),
  SCR_LOG_TXT_ENABLE(RUN, new Kind.Flag(), "1", "0: no text log in the prefix directory"),
  SCR_LOG_SYSLOG_ENABLE(RUN, new Kind.Flag(), "0", "1: log lines are sent to syslog too, by UDP"),
  SCR_LOG_SYSLOG_FACILITY(RUN, new Kind.Word(Syslog.FACILITIES), "LOG_LOCAL7", "facility of these lines"),
  SCR_LOG_SYSLOG_LEVEL(RUN, new Kind.Word(Syslog.LEVELS), "LOG_INFO", "level of these lines"),
  SCR_LOG_SYSLOG_PREFIX(RUN, new Kind.Text(), "SCR", "text before each of these lines"),
  SCR_LOG_SYSLOG_HOST(RUN, new Kind.Text(), "localhost", "host of the syslog daemon"),
  SCR_LOG_SYSLOG_PORT(RUN, new Kind.Int(1, 65_535), "514", "its UDP port");

  /** Owner of a setting. */
  public enum Scope {
    /** Each node's, from its start to its end: from the system file or the environment of its daemon only. */
    NODE,
    /** The run's: from its user too, read once when the run begins, the same on all nodes. */
    RUN,
    /** Of each process that calls SCR: read from its environment, by its client. */
    PROCESS,
    /** Of {@code scr run}: from its environment, the user's file or the system's. */
    LAUNCHER
  }

  private final Scope scope;
  private final Kind kind;
  private final String standard;
  private final String help;

  Parameter(Scope scope, Kind kind, String standard, String help) {
    this.scope = scope;
    this.kind = kind;
    this.standard = standard;
    this.help = help;
  }

  public Scope scope() {
    return scope;
  }

  Kind kind() {
    return kind;
  }

  /** Default value; empty for none. */
  public String standard() {
    return standard;
  }

  /** Short description of the effect. */
  public String help() {
    return help;
  }

  static Optional<Parameter> named(String name) {
    return Arrays.stream(values()).filter(p -> p.name().equals(name)).findFirst();
  }

  private static Kind alwaysChecked() {
    return new Kind.Always("1", "checksums are always made and compared, while the bytes pass anyway");
  }

  private static List<String> copyTypes() {
    return Stream.concat(Arrays.stream(Scheme.values()).map(Scheme::name), Stream.of(DescriptorReader.FILE)).toList();
  }
}
