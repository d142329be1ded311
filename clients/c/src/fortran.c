/*
 * The subroutines of scrf.h, as Fortran compilers call them on Linux: names in lower case with an underscore, all
 * arguments by reference, the lengths of texts as size_t behind them (gfortran 8 and newer, Intel, LLVM).
 * Texts are padded with blanks in Fortran and end with a zero in C.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "scr.h"

#define VISIBLE __attribute__((visibility("default")))

void scr_init_(int* error);
void scr_finalize_(int* error);
void scr_get_version_(char* version, int* error, size_t room);
void scr_config_(const char* config, char* value, int* error, size_t length, size_t room);
void scr_should_exit_(int* flag, int* error);
void scr_need_checkpoint_(int* flag, int* error);
void scr_route_file_(const char* name, char* file, int* error, size_t length, size_t room);
void scr_start_checkpoint_(int* error);
void scr_complete_checkpoint_(const int* valid, int* error);
void scr_start_output_(const char* name, const int* flags, int* error, size_t length);
void scr_complete_output_(const int* valid, int* error);
void scr_have_restart_(int* flag, char* name, int* error, size_t room);
void scr_start_restart_(char* name, int* error, size_t room);
void scr_complete_restart_(const int* valid, int* error);
void scr_current_(const char* name, int* error, size_t length);
void scr_drop_(const char* name, int* error, size_t length);
void scr_delete_(const char* name, int* error, size_t length);

/* A text without the blanks at its end, to be freed; NULL without memory. */
static char* to_c(const char* text, size_t length)
{
  while (length > 0 && text[length - 1] == ' ') {
    length--;
  }
  return strndup(text, length);
}

static int to_fortran(const char* function, const char* text, char* buffer, size_t room)
{
  size_t length = strlen(text);
  if (length > room) {
    memset(buffer, ' ', room);
    fprintf(stderr, "scr: %s: BAD_REQUEST (%d): the answer has %zu characters, the variable for it %zu\n", function,
        SCR_ERR_BAD_REQUEST, length, room);
    return SCR_ERR_BAD_REQUEST;
  }
  memcpy(buffer, text, length);
  memset(buffer + length, ' ', room - length);
  return SCR_SUCCESS;
}

/* Hands over what a call has found; blanks where it has failed. */
static void result(const char* function, const char* text, char* buffer, int* error, size_t room)
{
  int fits = to_fortran(function, text, buffer, room);
  *error = *error == SCR_SUCCESS ? fits : *error;
}

/* A call whose only argument is the name of a dataset. */
static int with_name(int (*call)(const char* name), const char* name, size_t length)
{
  char* text = to_c(name, length);
  int outcome = text == NULL ? SCR_ERR_INTERNAL : call(text);
  free(text);
  return outcome;
}

VISIBLE void scr_init_(int* error)
{
  *error = SCR_Init();
}

VISIBLE void scr_finalize_(int* error)
{
  *error = SCR_Finalize();
}

VISIBLE void scr_get_version_(char* version, int* error, size_t room)
{
  *error = to_fortran("SCR_GET_VERSION", SCR_Get_version(), version, room);
}

VISIBLE void scr_config_(const char* config, char* value, int* error, size_t length, size_t room)
{
  char* found = NULL;
  char* text = to_c(config, length);
  *error = text == NULL ? SCR_ERR_INTERNAL : scr_config_outcome(text, &found);
  result("SCR_CONFIG", found == NULL ? "" : found, value, error, room);
  free(found);
  free(text);
}

VISIBLE void scr_should_exit_(int* flag, int* error)
{
  *error = SCR_Should_exit(flag);
}

VISIBLE void scr_need_checkpoint_(int* flag, int* error)
{
  *error = SCR_Need_checkpoint(flag);
}

VISIBLE void scr_route_file_(const char* name, char* file, int* error, size_t length, size_t room)
{
  char routed[SCR_MAX_FILENAME] = "";
  char* text = to_c(name, length);
  *error = text == NULL ? SCR_ERR_INTERNAL : SCR_Route_file(text, routed);
  result("SCR_ROUTE_FILE", routed, file, error, room);
  free(text);
}

VISIBLE void scr_start_checkpoint_(int* error)
{
  *error = SCR_Start_checkpoint();
}

VISIBLE void scr_complete_checkpoint_(const int* valid, int* error)
{
  *error = SCR_Complete_checkpoint(*valid);
}

VISIBLE void scr_start_output_(const char* name, const int* flags, int* error, size_t length)
{
  /* What NULL is in C, is a blank name here: the system chooses one. */
  char* text = to_c(name, length);
  *error = text == NULL ? SCR_ERR_INTERNAL : SCR_Start_output(text[0] == '\0' ? NULL : text, *flags);
  free(text);
}

VISIBLE void scr_complete_output_(const int* valid, int* error)
{
  *error = SCR_Complete_output(*valid);
}

VISIBLE void scr_have_restart_(int* flag, char* name, int* error, size_t room)
{
  char found[SCR_MAX_FILENAME] = "";
  *error = SCR_Have_restart(flag, found);
  result("SCR_HAVE_RESTART", found, name, error, room);
}

VISIBLE void scr_start_restart_(char* name, int* error, size_t room)
{
  char found[SCR_MAX_FILENAME] = "";
  *error = SCR_Start_restart(found);
  result("SCR_START_RESTART", found, name, error, room);
}

VISIBLE void scr_complete_restart_(const int* valid, int* error)
{
  *error = SCR_Complete_restart(*valid);
}

VISIBLE void scr_current_(const char* name, int* error, size_t length)
{
  *error = with_name(SCR_Current, name, length);
}

VISIBLE void scr_drop_(const char* name, int* error, size_t length)
{
  *error = with_name(SCR_Drop, name, length);
}

VISIBLE void scr_delete_(const char* name, int* error, size_t length)
{
  *error = with_name(SCR_Delete, name, length);
}
