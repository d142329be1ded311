/*
 * A program written for SCR: every function and constant of its documentation, as they are called there, and those of
 * later releases. It is compiled as C89 and as C++ too, without a warning, and run with SCR_ENABLE=0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr.h"

static int failures = 0;

static void must(int outcome, const char* function)
{
  if (outcome != SCR_SUCCESS) {
    fprintf(stderr, "%s returned %d\n", function, outcome);
    failures++;
  }
}

static void restart(void)
{
  char name[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  int have = 0;
  must(SCR_Have_restart(&have, NULL), "SCR_Have_restart");
  must(SCR_Have_restart(&have, name), "SCR_Have_restart");
  while (have) {
    must(SCR_Start_restart(name), "SCR_Start_restart");
    must(SCR_Route_file("state", file), "SCR_Route_file");
    must(SCR_Complete_restart(1), "SCR_Complete_restart");
    must(SCR_Have_restart(&have, name), "SCR_Have_restart");
    have = 0;
  }
}

static void write_some(char* name)
{
  char file[SCR_MAX_FILENAME];
  int flags = SCR_FLAG_NONE;
  int flag = 0;
  must(SCR_Need_checkpoint(&flag), "SCR_Need_checkpoint");
  must(SCR_Start_checkpoint(), "SCR_Start_checkpoint");
  must(SCR_Route_file("state", file), "SCR_Route_file");
  must(SCR_Complete_checkpoint(1), "SCR_Complete_checkpoint");
  flags |= SCR_FLAG_CHECKPOINT | SCR_FLAG_OUTPUT;
  must(SCR_Start_output(name, flags), "SCR_Start_output");
  must(SCR_Complete_output(1), "SCR_Complete_output");
  must(SCR_Start_output(NULL, SCR_FLAG_OUTPUT), "SCR_Start_output");
  must(SCR_Complete_output(1), "SCR_Complete_output");
  must(SCR_Should_exit(&flag), "SCR_Should_exit");
}

int main(void)
{
  char name[] = "step-1";
  char* version = SCR_Get_version();
  const char* value;
  int flag = 0;
  if (version == NULL || strlen(version) == 0 || SCR_MAX_FILENAME != 1024 || SCR_SUCCESS != 0 || SCR_FLAG_NONE != 0
      || SCR_FLAG_CHECKPOINT != 1 || SCR_FLAG_OUTPUT != 2) {
    return 2;
  }
  SCR_Config("SCR_FLUSH=5");
  SCR_Configf("SCR_JOB_NAME=%s", "every");
  value = SCR_Config("SCR_FLUSH");
  free((void*)value);
  must(SCR_Init(), "SCR_Init");
  restart();
  write_some(name);
  must(SCR_Current(name), "SCR_Current");
  must(SCR_Drop(name), "SCR_Drop");
  must(SCR_Delete(name), "SCR_Delete");
  must(SCR_Flush_test(name, &flag), "SCR_Flush_test");
  must(SCR_Flush_wait(name, &flag), "SCR_Flush_wait");
  must(SCR_Finalize(), "SCR_Finalize");
  return failures == 0 ? 0 : 1;
}
