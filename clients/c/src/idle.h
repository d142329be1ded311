/* What answers where SCR is switched off (SCR_ENABLE=0): every call succeeds at once, without a daemon. */
#ifndef SCR_IDLE_H
#define SCR_IDLE_H

#include <jansson.h>

#include "fault.h"

/*
 * In the place of wire_call. Nothing is offered for a restart; files are where the program calls them, and their
 * directories are made.
 *
 * body: is released. reply: receives a new object on success.
 */
int idle_call(const char* verb, json_t* body, json_t** reply, struct fault* fault);

#endif
