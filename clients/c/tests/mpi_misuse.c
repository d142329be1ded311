/* What a program may do wrong, against real daemons: each is an error, and the run goes on. */
#include <mpi.h>

#include "check.h"
#include "scr.h"

static void write_file(const char* name)
{
  char file[SCR_MAX_FILENAME];
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(name, file));
  FILE* stream = fopen(file, "w");
  CHECK(stream != NULL && fputs(name, stream) >= 0 && fclose(stream) == 0);
}

/* Valid until the next call. */
static const char* of_rank(int rank, const char* name)
{
  static char path[64];
  snprintf(path, sizeof path, "rank-%d/%s", rank, name);
  return path;
}

int main(int count, char** arguments)
{
  char file[SCR_MAX_FILENAME];
  char name[SCR_MAX_FILENAME];
  int flag;
  int rank;
  int ranks;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Start_checkpoint());
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Init());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Complete_checkpoint(1));
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Start_restart(NULL)); /* the daemon says so: nothing is on offer */
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, name));
  CHECK_INT(0, flag);

  CHECK_INT(SCR_ERR_RANKS_DISAGREE, SCR_Start_output(rank == 0 ? "one" : "other", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("good", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Start_checkpoint());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Finalize());
  CHECK_INT(SCR_ERR_OUTSIDE_PREFIX, SCR_Route_file("/etc/passwd", file));
  CHECK_INT(SCR_ERR_OUTSIDE_PREFIX, SCR_Route_file("../../../x", file));
  write_file(of_rank(rank, "same"));
  write_file(of_rank(rank, "d/same"));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1));

  CHECK_INT(SCR_SUCCESS, SCR_Start_output("not valid on one", SCR_FLAG_CHECKPOINT));
  write_file(of_rank(rank, "f"));
  CHECK_INT(SCR_ERR_NOT_VALID, SCR_Complete_output(rank != ranks - 1));
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("never written on one", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(of_rank(rank, "never"), file));
  if (rank > 0) {
    write_file(of_rank(rank, "never"));
  }
  CHECK_INT(SCR_ERR_NOT_VALID, SCR_Complete_output(1));
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Finalize());

  CHECK_INT(SCR_SUCCESS, SCR_Init()); /* a second run of the same processes */
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, name));
  CHECK_INT(1, flag);
  CHECK_TEXT("good", name);
  CHECK_INT(SCR_SUCCESS, SCR_Start_restart(name));
  CHECK_INT(SCR_ERR_NO_SUCH_FILE, SCR_Route_file("nothing", file));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(of_rank(rank, "d/same"), file));
  FILE* stream = fopen(file, "r");
  CHECK(stream != NULL && fgets(name, sizeof name, stream) != NULL && fclose(stream) == 0);
  CHECK_TEXT(of_rank(rank, "d/same"), name);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_restart(1));
  CHECK_INT(SCR_ERR_NO_SUCH_DATASET, SCR_Current("nothing"));
  CHECK_INT(SCR_ERR_NO_SUCH_DATASET, SCR_Drop("nothing"));
  CHECK_INT(SCR_ERR_NO_SUCH_DATASET, SCR_Delete("nothing"));
  CHECK_INT(SCR_ERR_RANKS_DISAGREE, SCR_Delete(rank == 0 ? "good" : "other"));
  CHECK_INT(SCR_SUCCESS, SCR_Delete("good"));
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, name));
  CHECK_INT(0, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
