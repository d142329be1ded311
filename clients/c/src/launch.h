/* Who this process is: rank and size from the environment that its launcher made. */
#ifndef SCR_LAUNCH_H
#define SCR_LAUNCH_H

#include "fault.h"

#define LAUNCH_MAX_RANKS (1 << 20)

/* Finds rank and size; returns SCR_SUCCESS or the fault's number. */
int launch_find(int* rank, int* ranks, struct fault* fault);

#endif
