package io.vertxscr.config;

import io.vertxscr.model.Limits;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Every parameter there is, under the name that it has in the environment and in configuration files. A name that is
 * not listed here is refused: no setting is accepted and then without effect.
 */
public enum Parameter {
  SCR_PREFIX(new Kind.Directory(), "", "directory on the parallel file system; for the processes of ranks"),
  SCR_CNTL_BASE(new Kind.Directory(), "/tmp", "base of the control directories, on each node"),
  SCR_CACHE_BASE(new Kind.Directory(), "/tmp", "base of the cache directories, on each node"),
  SCR_CACHE_SIZE(new Kind.Int(1, 1024), "1", "datasets kept in the cache"),
  SCR_COPY_TYPE(new Kind.Word(List.of("SINGLE", "PARTNER", "XOR")), "XOR", "how datasets in the cache are protected"),
  SCR_SET_SIZE(new Kind.Int(2, 1024), "" + Limits.DEFAULT_SET_SIZE, "fewest members of a redundancy set"),
  SCR_FLUSH(new Kind.Int(0, Integer.MAX_VALUE), "10", "every so many checkpoints go to the prefix directory; 0: none"),
  SCR_FLUSH_ASYNC(new Kind.Flag(), "1", "1: they go there in the background; 0: complete-output waits for it"),
  SCR_JOB_ID(new Kind.Text(), "local", "allocation; from SLURM, Flux, PBS or LSF where it is not set"),
  SCR_JOB_NAME(new Kind.Text(), "", "name of the job in dataset descriptors"),
  SCR_USER_NAME(new Kind.Text(), "", "owner of the directories; USER where it is not set"),
  SCR_CLUSTER_NAME(new Kind.Text(), "", "name of the machine in dataset descriptors");

  private final Kind kind;
  private final String standard;
  private final String help;

  Parameter(Kind kind, String standard, String help) {
    this.kind = kind;
    this.standard = standard;
    this.help = help;
  }

  Kind kind() {
    return kind;
  }

  /** Its value where nobody sets it; empty for none. */
  public String standard() {
    return standard;
  }

  /** What it does, in half a sentence. */
  public String help() {
    return help;
  }

  static Optional<Parameter> named(String name) {
    return Arrays.stream(values()).filter(p -> p.name().equals(name)).findFirst();
  }
}
