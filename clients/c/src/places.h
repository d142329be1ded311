/*
 * Where the files of one phase are: the rules by which the daemon places files, followed here, so that a file costs no
 * message (docs/messages.md, "Files placed by the client"). The daemon checks the result in complete-output.
 *
 * What the links of a directory lead to is remembered for the phase; a new name then costs one lookup in the file
 * system, and none where its directory is not there yet; a name that was asked for before costs none.
 * Not for several threads at once.
 */
#ifndef SCR_PLACES_H
#define SCR_PLACES_H

#include <jansson.h>

#include "fault.h"

/* Longest list of files, so that it fits into a message with all characters escaped that commonly are. */
#define PLACES_MAX_LIST_BYTES (14 << 20)

struct places;

/* For a dataset that is written into this directory. NULL: out of memory. */
struct places* places_for_output(const char* prefix, const char* directory);

/* For one that is read: files is the list of the reply to start-restart. NULL: out of memory, or the list is none. */
struct places* places_for_restart(const char* prefix, const char* directory, json_t* files);

void places_free(struct places* places);

/*
 * Where to write or read a file; in an output its directory is made.
 *
 * file: room for SCR_MAX_FILENAME bytes. Returns SCR_SUCCESS or the fault's number: BAD_REQUEST, OUTSIDE_PREFIX,
 * NO_SUCH_FILE (restart), IO, NO_SPACE.
 */
int places_route(struct places* places, const char* name, char* file, struct fault* fault);

/* What was routed in an output, for complete-output: a new array. */
json_t* places_list(const struct places* places);

/*
 * The name in the cache of the next file of this path, as io.vertxscr.placement.CacheNames has it. For tests.
 * name: room for SCR_MAX_FILENAME + 16 bytes.
 */
int places_next_name(struct places* places, const char* base, char* name);

/* The working directory, which may be longer than a name. path: PATH_MAX. Returns SCR_SUCCESS or the fault's number. */
int places_working_directory(char* path, struct fault* fault);

/* The absolute path without empty components, "." and ".."; 0 where it does not fit. path: SCR_MAX_FILENAME * 2. */
int places_normalise(const char* directory, const char* name, char* path);

/* Makes the directory of a file, with those above it; -1 with errno where that fails. */
int places_make_directory_of(const char* file);

#endif
