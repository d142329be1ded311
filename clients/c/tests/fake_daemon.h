/* A daemon of the tests: a Unix socket, one thread, one connection at a time; the test says what it answers. */
#ifndef SCR_FAKE_DAEMON_H
#define SCR_FAKE_DAEMON_H

#include <jansson.h>
#include <stddef.h>

struct fake_daemon;

/* What is sent for an answer. */
struct fake_answer {
  char* bytes; /* is freed */
  size_t count;
  int hangs_up; /* ends the connection afterwards */
};

/* What the daemon answers to a call of this verb; runs on its thread. */
typedef struct fake_answer (*fake_script)(const char* verb, json_t* call, void* context);

/* Listens on path. */
struct fake_daemon* fake_start(const char* path, fake_script script, void* context);

/* Ends it; the connection that is open ends too. */
void fake_stop(struct fake_daemon* daemon);

/* The answer with this body, and the failure with this number; bodies are released. */
struct fake_answer fake_message(json_t* call, json_t* body);
struct fake_answer fake_failure(json_t* call, int number, const char* message);

/* What a real daemon would answer, in a run of one rank; its datasets are below the directory. */
json_t* fake_reply(const char* verb, json_t* call, const char* directory);

#endif
