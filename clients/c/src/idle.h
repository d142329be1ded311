/*
 * In the place of a daemon where SCR is switched off (SCR_ENABLE=0): every call succeeds at once and does nothing, and
 * files are where the program calls them. No other rank is waited for.
 */
#ifndef SCR_IDLE_H
#define SCR_IDLE_H

#include <jansson.h>

/* The body of the answer to a call: a new object; NULL without memory. */
json_t* idle_answer(const char* verb, json_t* body);

#endif
