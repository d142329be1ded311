#include "launch.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Variables of launchers, the innermost first: a launcher that was itself started by another one inherits the other's.
 * The same table is in the clients for Python and Java; clients/launchers.txt has the cases for the tests of all three.
 * The size in a batch script (SLURM_NTASKS) says nothing of this process, only that of a step does.
 * PMIx has no variable of its own for the size, so what starts processes with it must set one.
 */
static const struct {
  const char* rank;
  const char* ranks;
} LAUNCHERS[] = {
    {"SCR_RANK", "SCR_RANKS"},
    {"RANK", "WORLD_SIZE"},                           /* torchrun, only where it says so; inside of mpirun or srun */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   /* MVAPICH */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, Flux */
    {"MPIRUN_RANK", "MPIRUN_NPROCS"},                 /* older MPICH and MVAPICH */
    {"PMIX_RANK", "PMIX_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"RANK", "WORLD_SIZE"},                           /* torch.distributed */
};

#define NOTICE "SCR_INIT_NOTICE_SECONDS"

/* The place of torchrun above. */
#define TORCHRUN 1

static const char* variable(const char* name)
{
  const char* value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

static int number(const char* name, long least, long most, int* value, struct fault* fault)
{
  const char* text = variable(name);
  char* end;
  errno = 0;
  long parsed = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || parsed < least || parsed > most) {
    return fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "environment variable %s is '%s', expected %ld to %ld", name,
        text, least, most);
  }
  *value = (int)parsed;
  return SCR_SUCCESS;
}

int launch_notice_seconds(int* seconds, struct fault* fault)
{
  *seconds = LAUNCH_NOTICE_SECONDS;
  return variable(NOTICE) == NULL ? SCR_SUCCESS : number(NOTICE, 0, LAUNCH_MAX_NOTICE_SECONDS, seconds, fault);
}

int launch_find(int* rank, int* ranks, struct fault* fault)
{
  if ((variable("SCR_RANK") == NULL) != (variable("SCR_RANKS") == NULL)) {
    return fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "of SCR_RANK and SCR_RANKS only one is set");
  }
  for (size_t i = 0; i < sizeof LAUNCHERS / sizeof LAUNCHERS[0]; i++) {
    if (i == TORCHRUN && variable("TORCHELASTIC_RUN_ID") == NULL) {
      continue;
    }
    if (variable(LAUNCHERS[i].rank) != NULL && variable(LAUNCHERS[i].ranks) != NULL) {
      int bad = number(LAUNCHERS[i].ranks, 1, LAUNCH_MAX_RANKS, ranks, fault);
      return bad ? bad : number(LAUNCHERS[i].rank, 0, *ranks - 1, rank, fault);
    }
  }
  return fault_set(fault, SCR_ERR_BAD_CONFIGURATION,
      "rank and size of this process are not known: no launcher has set them (Open MPI, MPICH, MVAPICH, PMI, PMIx, "
      "Flux, Slurm, torchrun); set SCR_RANK and SCR_RANKS");
}
