/* Who this process is: rank and size from the environment that its launcher made. */
#ifndef SCR_LAUNCH_H
#define SCR_LAUNCH_H

#include "fault.h"

#define LAUNCH_MAX_RANKS (1 << 20)

/* How long SCR_Init waits until it says what for, unless SCR_INIT_NOTICE_SECONDS says so. */
#define LAUNCH_NOTICE_SECONDS 30
#define LAUNCH_MAX_NOTICE_SECONDS 1000000

/* Finds rank and size; returns SCR_SUCCESS or the fault's number. */
int launch_find(int* rank, int* ranks, struct fault* fault);

/* Finds that time; 0: never. Returns SCR_SUCCESS or the fault's number. */
int launch_notice_seconds(int* seconds, struct fault* fault);

#endif
