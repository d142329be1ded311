/* What libscrf needs of libscr beside scr.h. */
#ifndef SCR_API_H
#define SCR_API_H

/* SCR_Config, with its outcome apart from the value, which is NULL where there is none and for the caller to free. */
int scr_config_outcome(const char* config, char** value);

#endif
