package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.Map;

/**
 * Which rank of how many a process is, by the variables that its launcher has set.
 *
 * <p>The same table is in the clients for C ({@code launch.c}) and Python ({@code _environment.py});
 * {@code clients/launchers.txt} has the cases for the tests of all three.
 *
 * @param rank from 0
 * @param ranks size of the run
 */
record ProcessRank(int rank, int ranks) {
  /** @param onlyWith another variable that must be there too; empty for none */
  private record Variables(String rank, String ranks, String onlyWith) {
    Variables(String rank, String ranks) {
      this(rank, ranks, "");
    }

    boolean areIn(Map<String, String> environment) {
      return isSet(environment, rank) && isSet(environment, ranks)
          && (onlyWith.isEmpty() || isSet(environment, onlyWith));
    }
  }

  /**
   * Launchers, the innermost first. Torchrun runs inside of mpirun or srun, mpirun inside of an allocation of Slurm or
   * Flux, and each of them keeps the variables of the outer ones. The size in a batch script (SLURM_NTASKS) says
   * nothing of this process, only that of a step does. PMIx has no variable of its own for the size.
   */
  private static final List<Variables> LAUNCHERS = List.of(
      new Variables("SCR_RANK", "SCR_RANKS"),
      new Variables("RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID"),            // torchrun
      new Variables("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),         // Open MPI
      new Variables("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),           // MVAPICH
      new Variables("PMI_RANK", "PMI_SIZE"),                                 // MPICH, Intel MPI, Flux
      new Variables("MPIRUN_RANK", "MPIRUN_NPROCS"),                         // older MPICH and MVAPICH
      new Variables("PMIX_RANK", "PMIX_SIZE"),
      new Variables("FLUX_TASK_RANK", "FLUX_JOB_SIZE"),
      new Variables("PMIX_RANK", "SLURM_STEP_NUM_TASKS"),
      new Variables("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
      new Variables("RANK", "WORLD_SIZE"));                                  // torch.distributed

  /**
   * Of this process. There is no default: to run alone by mistake would be worse than to be refused.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the variables
   */
  static ProcessRank of(Map<String, String> environment) {
    if (isSet(environment, "SCR_RANK") != isSet(environment, "SCR_RANKS")) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "of SCR_RANK and SCR_RANKS only one is set");
    }
    Variables found = LAUNCHERS.stream().filter(variables -> variables.areIn(environment)).findFirst()
        .orElseThrow(() -> new ScrException(Fault.BAD_CONFIGURATION, "rank and size of this process are not known: no"
            + " launcher has set them (torchrun, Open MPI, MVAPICH, MPICH, PMI, PMIx, Flux, Slurm); start the program"
            + " with one of them, or set SCR_RANK and SCR_RANKS"));
    int rank = number(environment, found.rank());
    int ranks = number(environment, found.ranks());
    if (ranks < 1 || ranks > Limits.MAX_RANKS || rank < 0 || rank >= ranks) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "rank " + rank + " of " + ranks + ", from " + found.rank()
          + " and " + found.ranks() + ": expected 0 <= rank < ranks <= " + Limits.MAX_RANKS);
    }
    return new ProcessRank(rank, ranks);
  }

  /** Returns the rank; that of a single process without a launcher, because no agreement is needed. */
  static ProcessRank orAlone(Map<String, String> environment) {
    boolean known = LAUNCHERS.stream().anyMatch(variables -> variables.areIn(environment));
    return known ? of(environment) : new ProcessRank(0, 1);
  }

  private static boolean isSet(Map<String, String> environment, String name) {
    return !environment.getOrDefault(name, "").isEmpty();
  }

  private static int number(Map<String, String> environment, String name) {
    try {
      return Integer.parseInt(environment.get(name).strip());
    } catch (NumberFormatException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "environment variable " + name + " is '" + environment.get(name)
          + "', expected a whole number", e);
    }
  }
}
