/*
 * An MPI program as users of SCR write them: restarts where it can, checks every byte, writes checkpoints.
 *
 *   mpi_checkpoint <checkpoints> <files per rank>
 *       [die <rank> | wait <file> | current <name> | store <directory> | share <rank> | same <SCR_FLUSH_ASYNC>]
 *
 * die: that rank kills itself inside the last checkpoint, and the others say what they hear.
 * wait: rank 0 makes the file inside the last checkpoint, and all wait there until it is gone.
 * current: names the checkpoint to restart from before it asks for one.
 * store: the cache is that directory, by SCR_Config, and each routed file must be below it.
 * share: in the last checkpoint that rank and the next one write to one path, and all say what they hear.
 * same: all checkpoints have the same file names, and each is flushed.
 * Exit code: 0; 1 where something was not as it should be; 2 where SCR failed.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scr.h"

static int rank;
static int files;
static const char* store = "";
static int same;

/* Two files each have the same base name. */
static void path_of(int step, int file, char* path)
{
  snprintf(path, SCR_MAX_FILENAME, "step-%d/rank-%d/%c/block-%d", same ? 0 : step, rank, file % 2 ? 'b' : 'a', file / 2);
}

static size_t fill(char* bytes, int step, int file)
{
  size_t count = (size_t)(file == 2 ? 0 : 997 + 13 * file % 500 + 7 * rank);
  unsigned state = (unsigned)(rank * 1000003 + step * 101 + file);
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = (char)(state >> 24);
  }
  return count;
}

static int write_files(int step)
{
  char path[SCR_MAX_FILENAME];
  char routed[SCR_MAX_FILENAME];
  char bytes[8192];
  int good = 1;
  for (int i = 0; i < files; i++) {
    path_of(step, i, path);
    if (SCR_Route_file(path, routed) != SCR_SUCCESS) {
      return 0;
    }
    if (strncmp(routed, store, strlen(store)) != 0) {
      printf("rank %d: %s is not below %s\n", rank, routed, store);
      return 0;
    }
    FILE* file = fopen(routed, "wb");
    size_t count = fill(bytes, step, i);
    good = good && file != NULL && fwrite(bytes, 1, count, file) == count;
    good = good && file != NULL && fclose(file) == 0;
  }
  return good;
}

static int read_files(int step)
{
  char path[SCR_MAX_FILENAME];
  char routed[SCR_MAX_FILENAME];
  char expected[8192];
  char bytes[8192];
  for (int i = 0; i < files; i++) {
    path_of(step, i, path);
    FILE* file = SCR_Route_file(path, routed) == SCR_SUCCESS ? fopen(routed, "rb") : NULL;
    size_t count = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file == NULL || fclose(file) != 0 || count != fill(expected, step, i) || memcmp(bytes, expected, count) != 0) {
      printf("rank %d: %s is not what was written\n", rank, path);
      return 0;
    }
  }
  return 1;
}

/* Ends the process without MPI_Finalize, which would wait for the dead. */
static void end(int code)
{
  fflush(NULL);
  _exit(code);
}

static void must(int outcome, const char* call)
{
  if (outcome != SCR_SUCCESS) {
    printf("rank %d: %s returned %d\n", rank, call, outcome);
    end(2);
  }
}

static int restart(void)
{
  char name[SCR_MAX_FILENAME];
  int flag;
  int step = 0;
  must(SCR_Have_restart(&flag, name), "SCR_Have_restart");
  if (flag) {
    must(SCR_Start_restart(name), "SCR_Start_restart");
    int good = sscanf(name, "step-%d", &step) == 1 && read_files(step);
    must(SCR_Complete_restart(good), "SCR_Complete_restart");
    printf("rank %d restarted from %s\n", rank, name);
    if (!good) {
      end(1);
    }
  }
  return step;
}

/* What a program says instead of a configuration file. */
static void configure(const char* directory)
{
  store = directory;
  SCR_Configf("STORE=%s GROUP=NODE COUNT=2 FLUSH=PTHREAD", directory);
  SCR_Config("SCR_COPY_TYPE=FILE");
  SCR_Configf("CKPT=0 INTERVAL=1 GROUP=NODE STORE=%s TYPE=XOR SET_SIZE=4", directory);
  SCR_Configf("SCR_CACHE_BASE=%s", directory);
  SCR_Config("SCR_PREFIX=.");
  SCR_Config("SCR_DEBUG=1");
}

/* A path of two ranks: the checkpoint is complete for nobody. */
static void share(int step, int first)
{
  char name[64];
  char path[SCR_MAX_FILENAME];
  char routed[SCR_MAX_FILENAME];
  snprintf(name, sizeof name, "step-%d", step);
  must(SCR_Start_output(name, SCR_FLAG_CHECKPOINT), "SCR_Start_output");
  int good = write_files(step);
  if (rank == first || rank == first + 1) {
    snprintf(path, sizeof path, "%sstep-%d/all", rank == first ? "" : "./", step);
    must(SCR_Route_file(path, routed), "SCR_Route_file");
    FILE* file = fopen(routed, "wb");
    good = good && file != NULL && fputs("mine", file) >= 0;
    good = good && file != NULL && fclose(file) == 0;
  }
  int outcome = SCR_Complete_output(good);
  printf("rank %d: the shared checkpoint returned %d\n", rank, outcome);
}

static void in_the_last_checkpoint(int count, char** arguments)
{
  if (count < 5 || (strcmp(arguments[3], "die") != 0 && strcmp(arguments[3], "wait") != 0)) {
    return;
  }
  if (strcmp(arguments[3], "die") == 0) {
    if (atoi(arguments[4]) == rank) {
      raise(SIGKILL);
    }
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD); /* all are in it when the file says so */
  if (rank == 0) {
    fclose(fopen(arguments[4], "w"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  while (access(arguments[4], F_OK) == 0) {
    usleep(10000); /* polls the test, another process */
  }
}

int main(int count, char** arguments)
{
  char name[64];
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int checkpoints = atoi(arguments[1]);
  files = atoi(arguments[2]);
  if (count == 5 && strcmp(arguments[3], "store") == 0) {
    configure(arguments[4]);
  }
  same = count == 5 && strcmp(arguments[3], "same") == 0;
  if (same) {
    SCR_Config("SCR_FLUSH=1");
    SCR_Configf("SCR_FLUSH_ASYNC=%s", arguments[4]);
  }
  must(SCR_Init(), "SCR_Init");
  if (count == 5 && strcmp(arguments[3], "current") == 0) {
    must(SCR_Current(arguments[4]), "SCR_Current");
  }
  int first = restart() + 1;
  for (int step = first; step < first + checkpoints; step++) {
    if (count == 5 && strcmp(arguments[3], "share") == 0 && step == first + checkpoints - 1) {
      share(step, atoi(arguments[4]));
      break;
    }
    snprintf(name, sizeof name, "step-%d", step);
    must(SCR_Start_output(name, SCR_FLAG_CHECKPOINT), "SCR_Start_output");
    int good = write_files(step);
    if (step == first + checkpoints - 1) {
      in_the_last_checkpoint(count, arguments);
    }
    must(SCR_Complete_output(good), "SCR_Complete_output");
    if (rank == 0) {
      printf("wrote %s\n", name);
    }
  }
  must(SCR_Finalize(), "SCR_Finalize");
  MPI_Finalize();
  return 0;
}
