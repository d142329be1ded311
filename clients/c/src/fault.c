#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char* const NAMES[] = {
    "SUCCESS",         "INTERNAL",        "BAD_REQUEST",    "WRONG_STATE",   "UNKNOWN_RANK",
    "DUPLICATE_RANK",  "RANKS_DISAGREE",  "OUTSIDE_PREFIX", "NO_SUCH_FILE",  "NO_SUCH_DATASET",
    "RUN_IN_PROGRESS", "RANK_LOST",       "NODE_LOST",      "BUSY",          "TIMEOUT",
    "NO_SPACE",        "IO",              "CORRUPT",        "TOO_MANY_LOST", "FILE_CHANGED",
    "NOT_VALID",       "NOT_AUTHORIZED",  "STOPPING",       "DUPLICATE_NODE", "BAD_CONFIGURATION",
    "NOT_LEADER",      "HALTED",          "HALT_EXIT",       "TAKEN_OVER",
};

int fault_set(struct fault* fault, int number, const char* format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->message, sizeof fault->message, format, arguments);
  va_end(arguments);
  fault->number = number;
  return number;
}

int fault_errno(struct fault* fault, const char* format, ...)
{
  int cause = errno;
  char what[FAULT_MESSAGE_BYTES / 2];
  char room[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const char* reason = strerror_r(cause, room, sizeof room);
  int number = cause == ENOSPC || cause == EDQUOT ? SCR_ERR_NO_SPACE : SCR_ERR_IO;
  return fault_set(fault, number, "%s: %s", what, reason);
}

#define NUMBERS ((long long)(sizeof NAMES / sizeof NAMES[0]))

const char* fault_name(int number)
{
  return number >= 0 && number < NUMBERS ? NAMES[number] : "UNKNOWN";
}

int fault_known(long long number)
{
  return number >= 1 && number < NUMBERS ? (int)number : SCR_ERR_INTERNAL;
}

void fault_print(const struct fault* fault, int rank, const char* function)
{
  /* One write, so that lines of many ranks do not mix. */
  char line[FAULT_MESSAGE_BYTES + 256];
  char who[32] = "";
  if (rank >= 0) {
    snprintf(who, sizeof who, "rank %d: ", rank);
  }
  snprintf(line, sizeof line, "scr: %s%s: %s (%d): %s\n", who, function, fault_name(fault->number), fault->number,
      fault->message);
  fputs(line, stderr);
}
