/* The functions of scr.h: one session, one lock, failures on stderr. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "scr.h"
#include "session.h"
#include "settings.h"

#define VISIBLE __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session session = {.state = STATE_NONE, .rank = -1, .wire = {.descriptor = -1}};

/*
 * A forked child is no rank. Its copy of the connection is closed at once, so that the death of the parent is seen even
 * while the child lives, and its calls fail. The lock may be held by a thread that is not here.
 */
static void leave_to_parent(void)
{
  static const struct fault FORKED = {.number = SCR_ERR_WRONG_STATE,
      .message = "this process was forked from the rank; only that one may call"};
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  if (session.wire.descriptor >= 0) {
    close(session.wire.descriptor);
    session.wire.descriptor = -1;
    session.wire.end = FORKED;
    session.places = NULL; /* not freed: a thread may have been in it. A file of the child would be in no list */
  }
}

static void watch_forks(void)
{
  pthread_atfork(NULL, NULL, leave_to_parent);
}

/* Ends a call: says what went wrong, and lets the next one in. */
static int done(const char* function, int outcome, const struct fault* fault)
{
  if (outcome != SCR_SUCCESS) {
    fault_print(fault, session.rank, function);
  }
  pthread_mutex_unlock(&lock);
  return outcome;
}

static int null_argument(const char* argument, struct fault* fault)
{
  return fault_set(fault, SCR_ERR_BAD_REQUEST, "argument '%s' is NULL", argument);
}

/* What a call writes to is written also where it fails: who does not check it must not go by what was there before. */
static void no_text(char* text)
{
  if (text != NULL) {
    text[0] = '\0';
  }
}

/* Says why the process ends now: the daemon wants it (SCR_HALT_EXIT), of all ranks alike. */
static void tell_of_the_end(const char* why)
{
  if (session.rank == 0) {
    fprintf(stderr, "scr: the run ends here (SCR_HALT_EXIT=1): %s\n", why);
  }
}

/* Ends the process, finalized, where the last complete said so. */
static void exit_where_halted(void)
{
  struct fault fault;
  if (!session.exits) {
    return;
  }
  tell_of_the_end(session.halt);
  if (session_finalize(&session, &fault) != SCR_SUCCESS) {
    fault_print(&fault, session.rank, "SCR_Finalize");
  }
  pthread_mutex_unlock(&lock); /* handlers of the program may call us */
  exit(EXIT_SUCCESS);
}

VISIBLE int SCR_Init(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct fault fault;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  int outcome = session_init(&session, &fault);
  if (outcome == SCR_ERR_HALT_EXIT) {
    tell_of_the_end(fault.message);
    pthread_mutex_unlock(&lock);
    exit(EXIT_SUCCESS);
  }
  return done("SCR_Init", outcome, &fault);
}

VISIBLE int SCR_Finalize(void)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  return done("SCR_Finalize", session_finalize(&session, &fault), &fault);
}

VISIBLE char* SCR_Get_version(void)
{
  static char version[] = SCR_VERSION;
  return version;
}

static int ask(const char* function, enum question question, int* flag)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  int outcome = flag == NULL ? null_argument("flag", &fault) : session_ask(&session, question, flag, &fault);
  return done(function, outcome, &fault);
}

VISIBLE int SCR_Should_exit(int* flag)
{
  return ask("SCR_Should_exit", QUESTION_SHOULD_EXIT, flag);
}

VISIBLE int scr_config_outcome(const char* config, char** value)
{
  struct fault fault;
  int outcome;
  *value = NULL;
  pthread_mutex_lock(&lock);
  if (config == NULL || config[strspn(config, " \t\n")] == '\0') {
    outcome = fault_set(&fault, SCR_ERR_BAD_REQUEST, "the entry is empty");
  } else if (settings_is_query(config)) {
    outcome = session_config(&session, config, value, &fault);
  } else if (session.state != STATE_NONE) {
    outcome = fault_set(&fault, SCR_ERR_WRONG_STATE, "'%s' comes after SCR_Init: parameters are set before", config);
  } else {
    outcome = settings_add(config, &fault);
  }
  return done("SCR_Config", outcome, &fault);
}

VISIBLE const char* SCR_Config(const char* config)
{
  char* value;
  scr_config_outcome(config, &value);
  return value;
}

VISIBLE const char* SCR_Configf(const char* format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char* config = NULL;
  if (format != NULL && vasprintf(&config, format, arguments) < 0) {
    config = NULL;
  }
  va_end(arguments);
  const char* value = SCR_Config(config);
  free(config);
  return value;
}

VISIBLE int SCR_Route_file(const char* name, char* file)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  int outcome = name == NULL   ? null_argument("name", &fault)
                : file == NULL ? null_argument("file", &fault)
                               : session_route(&session, name, file, &fault);
  if (outcome != SCR_SUCCESS) {
    no_text(file);
  }
  return done("SCR_Route_file", outcome, &fault);
}

VISIBLE int SCR_Need_checkpoint(int* flag)
{
  return ask("SCR_Need_checkpoint", QUESTION_NEED_CHECKPOINT, flag);
}

static int start(const char* function, const char* name, int flags)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  return done(function, session_start_output(&session, name, flags, &fault), &fault);
}

static int complete(const char* function, int valid)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  int outcome = session_complete_output(&session, valid, &fault);
  exit_where_halted();
  return done(function, outcome, &fault);
}

VISIBLE int SCR_Start_checkpoint(void)
{
  return start("SCR_Start_checkpoint", NULL, SCR_FLAG_CHECKPOINT);
}

VISIBLE int SCR_Complete_checkpoint(int valid)
{
  return complete("SCR_Complete_checkpoint", valid);
}

VISIBLE int SCR_Start_output(const char* name, int flags)
{
  return start("SCR_Start_output", name, flags);
}

VISIBLE int SCR_Complete_output(int valid)
{
  return complete("SCR_Complete_output", valid);
}

VISIBLE int SCR_Have_restart(int* flag, char* name)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  no_text(name);
  int outcome = flag == NULL ? null_argument("flag", &fault) : session_have_restart(&session, flag, name, &fault);
  return done("SCR_Have_restart", outcome, &fault);
}

VISIBLE int SCR_Start_restart(char* name)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  no_text(name);
  return done("SCR_Start_restart", session_start_restart(&session, name, &fault), &fault);
}

VISIBLE int SCR_Complete_restart(int valid)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  return done("SCR_Complete_restart", session_complete_restart(&session, valid, &fault), &fault);
}

static int flush(const char* function, const char* verb, const char* name, int* flag)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  int outcome = flag == NULL ? null_argument("flag", &fault) : session_flush(&session, verb, name, flag, &fault);
  return done(function, outcome, &fault);
}

VISIBLE int SCR_Flush_test(const char* name, int* flag)
{
  return flush("SCR_Flush_test", "flush-test", name, flag);
}

VISIBLE int SCR_Flush_wait(const char* name, int* flag)
{
  return flush("SCR_Flush_wait", "flush-wait", name, flag);
}

static int dataset(const char* function, const char* verb, const char* name)
{
  struct fault fault;
  pthread_mutex_lock(&lock);
  return done(function, session_dataset(&session, verb, name, &fault), &fault);
}

VISIBLE int SCR_Current(const char* name)
{
  return dataset("SCR_Current", "current", name);
}

VISIBLE int SCR_Drop(const char* name)
{
  return dataset("SCR_Drop", "drop", name);
}

VISIBLE int SCR_Delete(const char* name)
{
  return dataset("SCR_Delete", "delete", name);
}
