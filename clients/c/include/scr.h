/*
 * The SCR API of vertx-scr: checkpoints that survive the loss of nodes.
 *
 * A program written for SCR is recompiled without a change. All functions but SCR_Route_file, SCR_Get_version and
 * SCR_Config (as a query) are collective: every process of the run calls them, in the same order. They return
 * SCR_SUCCESS, or the number of a fault (below); a failure is also written to stderr, with rank and cause.
 *
 * Any thread may call; one call at a time is under way, the others wait. No signal handler is set, no thread started,
 * and MPI is not used: rank and size come from the environment that the launcher makes. A forked child is no rank: its
 * calls fail, and the parent goes on. See scr(7).
 */
#ifndef SCR_H
#define SCR_H

#ifdef __cplusplus
extern "C" {
#endif

#define SCR_VERSION "vertx-scr 0.1.0"

/* Room that a buffer for a file's or dataset's name must have, with its final zero. */
#define SCR_MAX_FILENAME 1024

/* What a dataset is for; to be combined with | */
#define SCR_FLAG_NONE 0
#define SCR_FLAG_CHECKPOINT 1
#define SCR_FLAG_OUTPUT 2

#define SCR_SUCCESS 0

/* What a function returns where it fails; the same numbers as everywhere in the system. */
#define SCR_FAILURE 1                 /* INTERNAL: a bug; the daemon's log knows more */
#define SCR_ERR_INTERNAL 1
#define SCR_ERR_BAD_REQUEST 2         /* an argument is out of its range */
#define SCR_ERR_WRONG_STATE 3         /* not possible now: before SCR_Init, outside of a phase, ... */
#define SCR_ERR_UNKNOWN_RANK 4
#define SCR_ERR_DUPLICATE_RANK 5      /* two processes claim the same rank */
#define SCR_ERR_RANKS_DISAGREE 6      /* ranks made different calls, or gave different names */
#define SCR_ERR_OUTSIDE_PREFIX 7      /* the file is not below the prefix directory */
#define SCR_ERR_NO_SUCH_FILE 8        /* the checkpoint has no file by that name */
#define SCR_ERR_NO_SUCH_DATASET 9
#define SCR_ERR_RUN_IN_PROGRESS 10    /* the daemons serve another run */
#define SCR_ERR_RANK_LOST 11          /* a process of the run has ended; the run is over */
#define SCR_ERR_NODE_LOST 12          /* a node of the run, or its daemon, has gone; the run is over */
#define SCR_ERR_BUSY 13               /* nothing was done; the same call may succeed later */
#define SCR_ERR_TIMEOUT 14            /* unknown whether it was done; make the same call again */
#define SCR_ERR_NO_SPACE 15
#define SCR_ERR_IO 16
#define SCR_ERR_CORRUPT 17
#define SCR_ERR_TOO_MANY_LOST 18
#define SCR_ERR_FILE_CHANGED 19       /* a file was written to after SCR_Complete_output */
#define SCR_ERR_NOT_VALID 20          /* a rank said that its files are not valid; the dataset is deleted */
#define SCR_ERR_NOT_AUTHORIZED 21
#define SCR_ERR_STOPPING 22           /* the daemon is stopping and takes no new phase */
#define SCR_ERR_DUPLICATE_NODE 23
#define SCR_ERR_BAD_CONFIGURATION 24  /* the environment or an SCR_Config call is wrong */
#define SCR_ERR_NOT_LEADER 25
#define SCR_ERR_HALTED 26             /* a halt condition holds; scr halt --list says which */
#define SCR_ERR_HALT_EXIT 27          /* to the library: it ends the process for a halt condition; never returned */
#define SCR_ERR_TAKEN_OVER 28         /* another leader has the prefix directory; between daemons, never returned */

/*
 * What a call writes to, it writes also where it fails: flags are 0, names and paths empty. But SCR_Should_exit sets 1
 * where no run is on: after an SCR_Init that has failed, or once a rank or node is lost.
 */

int SCR_Init(void);
int SCR_Finalize(void);

/* Constant; not to be freed. */
char* SCR_Get_version(void);

/* *flag: 1 where the program should stop. */
int SCR_Should_exit(int* flag);

/*
 * "KEY=VALUE" sets a parameter, "KEY=" takes that back: before SCR_Init only; returns NULL.
 * "KEY" asks: returns a copy of the value, to be freed by the caller, or NULL if it has none.
 * "CKPT=0 TYPE=XOR" and "CKPT=0 TYPE" are the same for entries of several parts.
 */
const char* SCR_Config(const char* config);
const char* SCR_Configf(const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Where to write or read the file; its directory exists. Outside of a phase a copy of the name. */
int SCR_Route_file(const char* name, char* file);

/* *flag: 1 where a checkpoint should be written now. */
int SCR_Need_checkpoint(int* flag);

int SCR_Start_checkpoint(void);
int SCR_Complete_checkpoint(int valid);

/* name: NULL lets the system choose one. */
int SCR_Start_output(const char* name, int flags);
int SCR_Complete_output(int valid);

/* name: receives the dataset's name where it is not NULL. */
int SCR_Have_restart(int* flag, char* name);
int SCR_Start_restart(char* name);
int SCR_Complete_restart(int valid);

/* What a restart begins from, in this run too where it is called before SCR_Have_restart; out of the index; its files
 * deleted. */
int SCR_Current(const char* name);
int SCR_Drop(const char* name);
int SCR_Delete(const char* name);

/*
 * Not part of SCR: an extension. *flag: 1 where the dataset is in the prefix directory, whole and durable; the second
 * waits until it is, or 0 where it stays in the cache. Not collective.
 */
int SCR_Flush_test(const char* name, int* flag);
int SCR_Flush_wait(const char* name, int* flag);

#ifdef __cplusplus
}
#endif

#endif
