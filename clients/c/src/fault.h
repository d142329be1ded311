/* Failures: a number that travels (io.vertxscr.model.Fault) and a sentence that says who, what and what to do. */
#ifndef SCR_FAULT_H
#define SCR_FAULT_H

#include "scr.h"

/* Longest sentence that is kept; the rest of a longer one is cut off. */
#define FAULT_MESSAGE_BYTES 2048

struct fault {
  int number; /* SCR_SUCCESS: none */
  char message[FAULT_MESSAGE_BYTES];
};

/* Notes a failure, printf-like; returns its number. */
int fault_set(struct fault* fault, int number, const char* format, ...) __attribute__((format(printf, 3, 4)));

/* Notes a failure of the operating system, with the text of errno. */
int fault_errno(struct fault* fault, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a number, such as "NODE_LOST". */
const char* fault_name(int number);

/* The number itself; INTERNAL for numbers that this version does not know, as for all clients. */
int fault_known(long long number);

/* Writes a failure to stderr, as one line; rank -1: not known yet. */
void fault_print(const struct fault* fault, int rank, const char* function);

#endif
