/* A program that looks at no return value, and tells what it went by. */
#include <mpi.h>
#include <stdio.h>

#include "scr.h"

int main(int count, char** arguments)
{
  char name[SCR_MAX_FILENAME];
  int restart = 9;
  int checkpoints = 0;
  int steps = 0;
  int rank;
  int stop;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  SCR_Init();
  SCR_Have_restart(&restart, name);
  do {
    int need = 9;
    stop = 0;
    steps++;
    SCR_Need_checkpoint(&need);
    checkpoints += need;
    SCR_Should_exit(&stop);
  } while (!stop && steps < 100);
  SCR_Finalize();
  printf("rank %d restarts %d, checkpoints %d, steps %d\n", rank, restart, checkpoints, steps);
  MPI_Finalize();
  return 0;
}
