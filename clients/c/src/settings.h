/* What the environment and the program's SCR_Config calls say. The caller holds the lock of the session. */
#ifndef SCR_SETTINGS_H
#define SCR_SETTINGS_H

#include <jansson.h>

#include "fault.h"

/* Whether an entry asks for a value (its last word has no '='), and does not set one. */
int settings_is_query(const char* entry);

/* Notes an entry that sets or unsets. */
int settings_add(const char* entry, struct fault* fault);

/* Forgets all entries. */
void settings_clear(void);

/* The value of a simple parameter: the environment's, else that of the last entry, else NULL. Valid until the next
 * call that changes entries or the environment. */
const char* settings_get(const char* name);

/* The entries in their order: a new array of texts. */
json_t* settings_entries(void);

/* Whether an entry sets something that only the daemon can give an effect. */
int settings_need_daemon(void);

/* The SCR_* variables of this process that can travel: a new object. */
json_t* settings_environment(void);

#endif
