/*
 * What the calls cost, by the clock of rank 0; prints one line for each. Without checks: a busy machine is no failure.
 * Where there are more processes than processors, the time of a call that asks nobody is that which it has computed.
 *
 *   mpi_bench <rounds> <files> [phases | files | questions]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "scr.h"

/* Until the daemons have compiled what they do for each file. */
#define FILE_ROUNDS 60

static int by_size(const void* a, const void* b)
{
  double difference = *(const double*)a - *(const double*)b;
  return difference < 0 ? -1 : difference > 0;
}

/* What this process has computed so far. */
static double cpu_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Without barriers of MPI: they spin, and start waits for all ranks anyway. */
static void phases(int rank, int rounds, const char* when)
{
  double* ms = malloc((size_t)rounds * sizeof *ms);
  for (int i = 0; i < rounds; i++) {
    double start = MPI_Wtime();
    CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
    CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
    ms[i] = (MPI_Wtime() - start) * 1e3;
  }
  qsort(ms, (size_t)rounds, sizeof *ms, by_size);
  if (rank == 0) {
    printf("start + complete without data, %d times%s: median %.2f ms, 90 %% below %.2f ms\n", rounds, when,
        ms[rounds / 2], ms[rounds * 9 / 10]);
    fflush(stdout);
  }
  free(ms);
}

/* Routes and writes so many files of one byte; prints calls/s of route and the time of complete. */
static void with_files(int rank, int files, int write)
{
  char name[64];
  char(*routed)[SCR_MAX_FILENAME] = malloc((size_t)files * SCR_MAX_FILENAME);
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  MPI_Barrier(MPI_COMM_WORLD);
  double start = cpu_s();
  for (int i = 0; i < files; i++) {
    snprintf(name, sizeof name, "dir/rank-%d-%d", rank, i);
    CHECK_INT(SCR_SUCCESS, SCR_Route_file(name, routed[i]));
  }
  double route_s = cpu_s() - start;
  for (int i = 0; write && i < files; i++) {
    FILE* file = fopen(routed[i], "w");
    CHECK(file != NULL && fputc('x', file) == 'x' && fclose(file) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  double complete_cpu_s = cpu_s();
  int outcome = SCR_Complete_checkpoint(write);
  double complete_s = MPI_Wtime() - start;
  complete_cpu_s = cpu_s() - complete_cpu_s;
  CHECK_INT(write ? SCR_SUCCESS : SCR_ERR_NOT_VALID, outcome);
  if (rank == 0) {
    printf("%d files: route %.0f calls/s, complete %.1f ms (of it in the client %.1f ms)%s\n", files, files / route_s,
        complete_s * 1e3, complete_cpu_s * 1e3, write ? "" : " (not written)");
    fflush(stdout);
  }
  free(routed);
}

static void questions(int rank, int calls)
{
  int flag;
  if (SCR_Should_exit(&flag) != SCR_SUCCESS) {
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    CHECK_INT(SCR_SUCCESS, SCR_Should_exit(&flag));
  }
  double exit_s = MPI_Wtime() - start;
  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  }
  if (rank == 0) {
    printf("should exit %.0f calls/s, need checkpoint %.0f calls/s\n", calls / exit_s, calls / (MPI_Wtime() - start));
  }
}

static int is_wanted(const char* only, const char* what)
{
  return only[0] == '\0' || strcmp(only, what) == 0;
}

int main(int count, char** arguments)
{
  int rank;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int rounds = count > 1 ? atoi(arguments[1]) : 100;
  int files = count > 2 ? atoi(arguments[2]) : 2000;
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  const char* only = count > 3 ? arguments[3] : "";
  if (is_wanted(only, "phases")) {
    phases(rank, rounds, " at first");
    phases(rank, 10 * rounds, " then");
    phases(rank, rounds, " in the end");
  }
  if (is_wanted(only, "files")) {
    for (int i = 0; i < FILE_ROUNDS; i++) {
      with_files(rank, 10, 1);
      with_files(rank, files, 1);
    }
    with_files(rank, 10 * files, 0);
  }
  if (is_wanted(only, "questions")) {
    questions(rank, 10 * rounds);
    questions(rank, 100 * rounds);
    questions(rank, 100 * rounds);
  }
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  MPI_Finalize();
  return 0;
}
