/*
 * One process in its run, from SCR_Init to SCR_Finalize. The caller holds a lock.
 *
 *   NONE --init--> IDLE --start_output--> OUTPUT --complete--> IDLE
 *                   |  \--start_restart-> RESTART --complete-> IDLE
 *                   \--finalize--> NONE
 *
 * All functions return SCR_SUCCESS, or the fault's number after noting the fault. What is not legal in a state is
 * refused here and not sent. A call that ended with TIMEOUT, BUSY, STOPPING or BAD_REQUEST keeps its number: it can
 * be made again, and nothing happens twice.
 */
#ifndef SCR_SESSION_H
#define SCR_SESSION_H

#include "fault.h"
#include "places.h"
#include "wire.h"

enum state { STATE_NONE, STATE_IDLE, STATE_OUTPUT, STATE_RESTART };

/* In a row are calls with less than this between them. */
#define ASKED_PAUSE_US 1000

/* Most answers that are fetched with one (io.vertxscr.model.Limits.MAX_ANSWERS_AHEAD). */
#define ASKED_MAX_AHEAD 31

/* One of the two questions that no rank waits for; each counts its calls apart. */
struct asked {
  json_int_t next;  /* number of the next call */
  json_int_t until; /* the daemon has answered already, up to this call */
  int yes;          /* and so */
  int in_a_row;     /* calls without a pause, up to the last one; counted to 8 * ASKED_MAX_AHEAD */
  long long end_us; /* when that one ended */
};

struct session {
  enum state state;
  int rank; /* -1: not known yet */
  int ranks;
  json_int_t run;
  json_int_t next_call;
  struct asked asked[2];       /* by question */
  const char* unknown;         /* the verb of a call whose outcome is not known; NULL: none */
  int exits;                   /* the last complete said that the process is to end (SCR_HALT_EXIT) */
  char halt[256];              /* and why */
  char prefix[SCR_MAX_FILENAME];
  struct wire wire;
  struct places* places;       /* NULL in a phase: files are placed by messages */
};

enum question { QUESTION_NEED_CHECKPOINT, QUESTION_SHOULD_EXIT };

int session_init(struct session* session, struct fault* fault);
int session_finalize(struct session* session, struct fault* fault);
int session_start_output(struct session* session, const char* name, int flags, struct fault* fault);
int session_complete_output(struct session* session, int valid, struct fault* fault);

/* name: room for SCR_MAX_FILENAME bytes, or NULL. */
int session_have_restart(struct session* session, int* flag, char* name, struct fault* fault);
int session_start_restart(struct session* session, char* name, struct fault* fault);
int session_complete_restart(struct session* session, int valid, struct fault* fault);

int session_route(struct session* session, const char* name, char* file, struct fault* fault);

int session_ask(struct session* session, enum question question, int* yes, struct fault* fault);

/* verb: flush-test or flush-wait; the latter is repeated until the dataset has arrived, or will not. */
int session_flush(struct session* session, const char* verb, const char* name, int* flag, struct fault* fault);

/* verb: current, drop or delete. */
int session_dataset(struct session* session, const char* verb, const char* name, struct fault* fault);

/* value: receives a copy to be freed, NULL where it has none. */
int session_config(struct session* session, const char* query, char** value, struct fault* fault);

#endif
