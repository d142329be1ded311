#include "session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "launch.h"
#include "settings.h"

/* Of the messages (docs/messages.md). */
#define MESSAGES_VERSION 1

/* The rule of names that places.c follows. */
#define CACHE_NAMES 1

/* How often a call is sent whose outcome nobody knows. */
#define MAX_ATTEMPTS 5

/* ---- what is legal ---- */

static const char* state_in_words(enum state state)
{
  static const char* const WORDS[] = {"before SCR_Init, or after SCR_Finalize", "outside a phase",
      "inside an output phase", "inside a restart"};
  return WORDS[state];
}

static const char* legal_in(enum state state)
{
  static const char* const WORDS[] = {"SCR_Init, SCR_Config, SCR_Route_file", "all but SCR_Init and SCR_Complete_...",
      "SCR_Route_file, SCR_Should_exit, SCR_Complete_output (or _checkpoint)",
      "SCR_Route_file, SCR_Should_exit, SCR_Complete_restart"};
  return WORDS[state];
}

static int needs(const struct session* session, enum state needed, struct fault* fault)
{
  if (session->state == needed) {
    return SCR_SUCCESS;
  }
  return fault_set(fault, SCR_ERR_WRONG_STATE, "called %s; legal is %s", state_in_words(session->state),
      legal_in(session->state));
}

/* ---- calls ---- */

static int out_of_memory(struct fault* fault)
{
  return fault_set(fault, SCR_ERR_INTERNAL, "out of memory");
}

static int one_of(int number, const int* set)
{
  for (; *set != 0; set++) {
    if (*set == number) {
      return 1;
    }
  }
  return 0;
}

/* Nothing was done, or nobody knows: the same call again has the same number. */
static int keeps_its_number(int number)
{
  static const int SET[] = {SCR_ERR_TIMEOUT, SCR_ERR_BUSY, SCR_ERR_STOPPING, SCR_ERR_BAD_REQUEST, 0};
  return one_of(number, SET);
}

/* The refusals of a complete after which the phase is still open. */
static int leaves_phase_open(int number)
{
  static const int SET[] = {SCR_ERR_TIMEOUT, SCR_ERR_BUSY, SCR_ERR_STOPPING, SCR_ERR_BAD_REQUEST,
      SCR_ERR_WRONG_STATE, SCR_ERR_UNKNOWN_RANK, SCR_ERR_RANKS_DISAGREE, 0};
  return one_of(number, SET);
}

/* Sends a numbered call; the same again while nobody knows whether it was done. body: is released. */
static int numbered(struct session* session, const char* verb, json_int_t call, json_t* body, json_t** reply,
    struct fault* fault)
{
  if (body == NULL || json_object_set_new(body, "run", json_integer(session->run)) != 0
      || json_object_set_new(body, "rank", json_integer(session->rank)) != 0
      || json_object_set_new(body, "call", json_integer(call)) != 0) {
    json_decref(body);
    return out_of_memory(fault);
  }
  int bad = SCR_ERR_TIMEOUT;
  for (int attempt = 1; bad == SCR_ERR_TIMEOUT && attempt <= MAX_ATTEMPTS; attempt++) {
    bad = wire_call(&session->wire, verb, json_incref(body), reply, fault);
  }
  json_decref(body);
  return bad;
}

/* What rank 0 is told: that a run begins without a checkpoint although there are some; with SCR_DEBUG=1 each operation. */
static void print_remarks(json_t* reply)
{
  size_t index;
  json_t* remark;
  json_array_foreach(json_object_get(reply, "remarks"), index, remark) {
    if (json_is_string(remark)) {
      fprintf(stderr, "scr: %s\n", json_string_value(remark));
    }
  }
}

/* Makes a collective call; reply may be NULL. body: is released. */
static int collective(struct session* session, const char* verb, json_t* body, json_t** reply, struct fault* fault)
{
  json_t* answer = NULL;
  if (session->unknown != NULL && strcmp(session->unknown, verb) != 0) {
    json_decref(body);
    return fault_set(fault, SCR_ERR_WRONG_STATE, "the outcome of %s is unknown: make that call again first",
        session->unknown);
  }
  int bad = numbered(session, verb, session->next_call, body, &answer, fault);
  session->unknown = bad == SCR_ERR_TIMEOUT ? verb : keeps_its_number(bad) ? session->unknown : NULL;
  if (!keeps_its_number(bad)) {
    session->next_call++;
  }
  print_remarks(answer);
  if (reply == NULL) {
    json_decref(answer);
  } else {
    *reply = answer;
  }
  return bad;
}

/* The daemon speaks another language: nothing that it says can be relied on. */
static int misunderstood(struct session* session, const char* field, struct fault* fault)
{
  fault_set(&session->wire.end, SCR_ERR_INTERNAL, "the daemon's answer lacks '%s', or has it in another form", field);
  wire_close(&session->wire);
  *fault = session->wire.end;
  return fault->number;
}

static const char* text_of(json_t* reply, const char* field)
{
  return json_string_value(json_object_get(reply, field));
}

static int copy_name(const char* from, char* to, struct fault* fault)
{
  if (strlen(from) >= SCR_MAX_FILENAME) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "'%.64s...' has %zu bytes, and a buffer for names has %d", from,
        strlen(from), SCR_MAX_FILENAME);
  }
  memcpy(to, from, strlen(from) + 1);
  return SCR_SUCCESS;
}

/* ---- init and finalize ---- */

/* Absolute, without "." and "..". */
static int find_prefix(struct session* session, struct fault* fault)
{
  char working[PATH_MAX] = "/";
  char prefix[SCR_MAX_FILENAME * 2];
  const char* set = settings_get("SCR_PREFIX");
  int bad = set != NULL && set[0] == '/' ? SCR_SUCCESS : places_working_directory(working, fault);
  if (bad) {
    return bad;
  }
  if (!places_normalise(working, set == NULL ? "." : set, prefix) || strlen(prefix) >= sizeof session->prefix) {
    return set == NULL
        ? fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "the prefix directory, which is the working directory, has more "
            "than %d bytes: set SCR_PREFIX to a shorter path", SCR_MAX_FILENAME - 1)
        : fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "the prefix directory '%s' has more than %d bytes, made absolute: "
            "set SCR_PREFIX to a shorter path", set, SCR_MAX_FILENAME - 1);
  }
  memcpy(session->prefix, prefix, strlen(prefix) + 1);
  return SCR_SUCCESS;
}

static void end(struct session* session)
{
  wire_close(&session->wire);
  places_free(session->places);
  *session = (struct session){.state = STATE_NONE, .rank = -1, .wire = {.descriptor = -1}};
}

static json_t* init_request(const struct session* session, int with_settings)
{
  const char* job = settings_get("SCR_JOB_NAME");
  json_t* body = json_pack("{s:i, s:i, s:s, s:s}", "rank", session->rank, "ranks", session->ranks, "prefix",
      session->prefix, "jobName", job == NULL ? "" : job);
  if (with_settings) {
    json_object_set_new(body, "environment", settings_environment());
    json_object_set_new(body, "config", settings_entries());
  }
  return body;
}

/* Whether a daemon of an earlier release has refused the settings of this process, as fields that it does not know. */
static int knows_no_settings(const struct fault* fault)
{
  return fault->number == SCR_ERR_BAD_REQUEST && strstr(fault->message, "is unknown") != NULL
      && (strstr(fault->message, "'environment'") != NULL || strstr(fault->message, "'config'") != NULL);
}

static int ask_to_join(struct session* session, json_t** reply, struct fault* fault)
{
  json_t* body = init_request(session, 1);
  if (body == NULL) {
    return fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "SCR_PREFIX or SCR_JOB_NAME is not UTF-8 text");
  }
  int bad = wire_call(&session->wire, "init", body, reply, fault);
  if (!bad || !knows_no_settings(fault)) {
    return bad;
  }
  if (settings_need_daemon()) {
    return fault_set(fault, SCR_ERR_BAD_CONFIGURATION,
        "the daemon is of a release that takes no settings of SCR_Config: set them in its environment");
  }
  return wire_call(&session->wire, "init", init_request(session, 0), reply, fault);
}

static int join(struct session* session, int notice_ms, struct fault* fault)
{
  json_t* reply = NULL;
  session->wire.notice = (struct wire_notice){.first_ms = notice_ms, .tell = print_remarks};
  int bad = ask_to_join(session, &reply, fault);
  session->wire.notice = (struct wire_notice){0};
  if (bad) {
    return bad;
  }
  json_t* run = json_object_get(reply, "run");
  json_t* version = json_object_get(reply, "version");
  if (!json_is_integer(run) || !json_is_integer(version)) {
    bad = misunderstood(session, "run", fault);
  } else if (json_integer_value(version) != MESSAGES_VERSION) {
    bad = fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "the daemon speaks version %lld of the messages, this library %d",
        (long long)json_integer_value(version), MESSAGES_VERSION);
  }
  session->run = json_integer_value(run);
  if (!bad) {
    print_remarks(reply);
  }
  json_decref(reply);
  return bad;
}

static int is_switched_off(void)
{
  const char* enable = settings_get("SCR_ENABLE");
  return enable != NULL && strcmp(enable, "0") == 0;
}

/* SCR_ENABLE=0. Rank and size are those of the launcher, where there is one; nobody needs to agree on them. */
static int begin_idle(struct session* session, struct fault* fault)
{
  if (launch_find(&session->rank, &session->ranks, fault) != SCR_SUCCESS) {
    session->rank = 0;
    session->ranks = 1;
  }
  session->wire.idle = 1;
  session->run = 1;
  session->state = STATE_IDLE;
  return SCR_SUCCESS;
}

int session_init(struct session* session, struct fault* fault)
{
  int bad = needs(session, STATE_NONE, fault);
  if (bad) {
    return bad;
  }
  end(session);
  int notice_seconds = 0;
  if (is_switched_off()) {
    return begin_idle(session, fault);
  }
  bad = launch_find(&session->rank, &session->ranks, fault);
  if (bad || (bad = launch_notice_seconds(&notice_seconds, fault)) || (bad = find_prefix(session, fault))) {
    return bad;
  }
  int descriptor = daemon_connect(session->rank, session->ranks, fault);
  if (descriptor < 0) {
    return fault->number;
  }
  wire_open(&session->wire, descriptor);
  bad = join(session, notice_seconds * 1000, fault);
  if (bad) {
    int rank = session->rank;
    end(session);
    session->rank = rank; /* for the line on stderr */
    return bad;
  }
  session->state = STATE_IDLE;
  session->next_call = 1;
  session->asked[QUESTION_NEED_CHECKPOINT] = (struct asked){.next = 1};
  session->asked[QUESTION_SHOULD_EXIT] = (struct asked){.next = 1};
  return SCR_SUCCESS;
}

int session_finalize(struct session* session, struct fault* fault)
{
  int bad = needs(session, STATE_IDLE, fault);
  if (bad) {
    /* After the end of a run the order of calls does not matter: the process may exit, or join the next run. */
    if (session->wire.end.number == SCR_SUCCESS || session->state == STATE_NONE) {
      return bad;
    }
    *fault = session->wire.end;
    bad = fault->number;
  } else {
    bad = collective(session, "finalize", json_object(), NULL, fault);
  }
  if (!leaves_phase_open(bad) || session->wire.end.number != SCR_SUCCESS) {
    int rank = session->rank;
    end(session);
    session->rank = rank; /* for the line on stderr */
    settings_clear();
  }
  return bad;
}

/* ---- phases ---- */

static int is_name(const char* name)
{
  size_t length = strlen(name);
  for (const unsigned char* at = (const unsigned char*)name; *at != '\0'; at++) {
    /* Control characters of ASCII and, in UTF-8, of Latin-1. */
    if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)) {
      return 0;
    }
  }
  return length >= 1 && length < SCR_MAX_FILENAME;
}

static int bad_dataset_name(struct fault* fault)
{
  return fault_set(fault, SCR_ERR_BAD_REQUEST, "a dataset's name has 1 to %d bytes of UTF-8 without control characters",
      SCR_MAX_FILENAME - 1);
}

/* Opens the phase that a reply to a start says. Takes the reply over. */
static int open_phase(struct session* session, enum state state, json_t* reply, struct fault* fault)
{
  const char* directory = text_of(reply, "directory");
  json_t* files = json_object_get(reply, "files");
  if (directory == NULL || directory[0] != '/' || text_of(reply, "name") == NULL) {
    json_decref(reply);
    return misunderstood(session, "directory", fault);
  }
  if (state == STATE_OUTPUT && json_integer_value(json_object_get(reply, "naming")) == CACHE_NAMES) {
    session->places = places_for_output(session->prefix, directory);
  } else if (state == STATE_RESTART && files != NULL) {
    session->places = places_for_restart(session->prefix, directory, files);
  }
  session->state = state;
  json_decref(reply);
  return SCR_SUCCESS;
}

static void close_phase(struct session* session, int outcome)
{
  if (!leaves_phase_open(outcome)) {
    places_free(session->places);
    session->places = NULL;
    session->state = STATE_IDLE;
  }
}

int session_start_output(struct session* session, const char* name, int flags, struct fault* fault)
{
  int bad = needs(session, STATE_IDLE, fault);
  if (bad) {
    return bad;
  }
  if (flags < 1 || flags > (SCR_FLAG_CHECKPOINT | SCR_FLAG_OUTPUT)) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST,
        "flags are %d, expected SCR_FLAG_CHECKPOINT, SCR_FLAG_OUTPUT, or both", flags);
  }
  if (name != NULL && !is_name(name)) {
    return bad_dataset_name(fault);
  }
  json_t* body = json_pack("{s:i}", "flags", flags);
  if (name != NULL && json_object_set_new(body, "name", json_string(name)) != 0) {
    json_decref(body);
    return bad_dataset_name(fault);
  }
  json_t* reply = NULL;
  bad = collective(session, "start-output", body, &reply, fault);
  return bad ? bad : open_phase(session, STATE_OUTPUT, reply, fault);
}

int session_complete_output(struct session* session, int valid, struct fault* fault)
{
  int bad = needs(session, STATE_OUTPUT, fault);
  if (bad) {
    return bad;
  }
  json_t* body = json_pack("{s:b}", "valid", valid != 0);
  if (session->places != NULL) {
    json_object_set_new(body, "files", places_list(session->places));
  }
  json_t* reply = NULL;
  bad = collective(session, "complete-output", body, &reply, fault);
  close_phase(session, bad);
  const char* why = text_of(reply, "halt");
  session->exits = json_is_true(json_object_get(reply, "exit"));
  snprintf(session->halt, sizeof session->halt, "%s", why == NULL ? "" : why);
  json_decref(reply);
  return bad;
}

int session_have_restart(struct session* session, int* flag, char* name, struct fault* fault)
{
  json_t* reply = NULL;
  int bad = needs(session, STATE_IDLE, fault);
  *flag = 0;
  if (bad || (bad = collective(session, "have-restart", json_object(), &reply, fault))) {
    return bad;
  }
  json_t* available = json_object_get(reply, "available");
  const char* found = text_of(reply, "name");
  if (!json_is_boolean(available) || (json_is_true(available) && found == NULL)) {
    bad = misunderstood(session, "available", fault);
  } else if (json_is_true(available) && name != NULL) {
    bad = copy_name(found, name, fault);
  }
  if (!bad) {
    *flag = json_is_true(available);
  }
  json_decref(reply);
  return bad;
}

int session_start_restart(struct session* session, char* name, struct fault* fault)
{
  json_t* reply = NULL;
  int bad = needs(session, STATE_IDLE, fault);
  if (bad || (bad = collective(session, "start-restart", json_object(), &reply, fault))) {
    return bad;
  }
  const char* found = text_of(reply, "name");
  int unfit = name != NULL && found != NULL ? copy_name(found, name, fault) : SCR_SUCCESS;
  bad = open_phase(session, STATE_RESTART, reply, fault); /* whatever its name: for the daemon it is open */
  return bad ? bad : unfit;
}

int session_complete_restart(struct session* session, int valid, struct fault* fault)
{
  int bad = needs(session, STATE_RESTART, fault);
  if (bad) {
    return bad;
  }
  bad = collective(session, "complete-restart", json_pack("{s:b}", "valid", valid != 0), NULL, fault);
  close_phase(session, bad);
  return bad;
}

/* ---- the rest ---- */

/* Asks the daemon where a file is, where it has not said by which rule. */
static int route_by_message(struct session* session, const char* name, char* file, struct fault* fault)
{
  char working[PATH_MAX] = "/";
  if (name[0] == '\0' || strlen(name) >= SCR_MAX_FILENAME) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "a file's name has 1 to %d bytes", SCR_MAX_FILENAME - 1);
  }
  int bad = name[0] == '/' ? SCR_SUCCESS : places_working_directory(working, fault);
  if (bad) {
    return bad;
  }
  json_t* body = json_pack("{s:I, s:i, s:s, s:s}", "run", session->run, "rank", session->rank, "name", name,
      "directory", working);
  if (body == NULL) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "'%s' is not UTF-8 text", name);
  }
  json_t* reply = NULL;
  bad = wire_call(&session->wire, "route", body, &reply, fault);
  if (bad) {
    return bad;
  }
  const char* found = text_of(reply, "file");
  bad = found == NULL ? misunderstood(session, "file", fault) : copy_name(found, file, fault);
  json_decref(reply);
  return bad;
}

int session_route(struct session* session, const char* name, char* file, struct fault* fault)
{
  if (session->state == STATE_NONE || session->state == STATE_IDLE) {
    return copy_name(name, file, fault);
  }
  if (session->places != NULL) {
    return places_route(session->places, name, file, fault);
  }
  return route_by_message(session, name, file, fault);
}

static long long now_us(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/*
 * How many calls more are to be answered by the next message: none for a program that asks now and then, for that would
 * hear of a change late. One that asks again and again, without a pause, hears of it after an eighth of the calls that
 * it has made so, or ASKED_MAX_AHEAD.
 */
static int ahead(const struct asked* asked)
{
  return asked->in_a_row / 8;
}

/* Takes an answer, and how far it reaches. */
static int take_answer(struct session* session, struct asked* asked, const char* field, json_t* reply,
    struct fault* fault)
{
  json_t* answer = json_object_get(reply, field);
  json_t* until = json_object_get(reply, "until");
  json_int_t call = asked->next - 1;
  json_int_t reach = until == NULL ? call : json_integer_value(until);
  if (!json_is_boolean(answer)) {
    return misunderstood(session, field, fault);
  }
  if (reach < call || reach > call + ASKED_MAX_AHEAD) {
    return misunderstood(session, "until", fault);
  }
  asked->yes = json_is_true(answer);
  asked->until = reach;
  return SCR_SUCCESS;
}

static int ask_daemon(struct session* session, enum question question, struct fault* fault)
{
  static const char* const VERBS[] = {"need-checkpoint", "should-exit"};
  static const char* const FIELDS[] = {"need", "exit"};
  struct asked* asked = &session->asked[question];
  int more = ahead(asked);
  json_t* reply = NULL;
  int bad = numbered(session, VERBS[question], asked->next, more > 0 ? json_pack("{s:i}", "ahead", more) : json_object(),
      &reply, fault);
  if (!keeps_its_number(bad)) {
    asked->next++;
  }
  if (!bad && !(bad = take_answer(session, asked, FIELDS[question], reply, fault))) {
    print_remarks(reply);
  }
  json_decref(reply);
  return bad;
}

/*
 * What a question that has failed is answered, for a program that goes by the answer alone: no checkpoint, and to stop
 * where no run is on (init has failed, or a node is lost), for it would compute without checkpoints. A failure that is
 * over with the next call stops nobody.
 */
static int answer_to_failure(const struct session* session, enum question question, int bad)
{
  return question == QUESTION_SHOULD_EXIT && (session->wire.end.number != SCR_SUCCESS || !keeps_its_number(bad));
}

int session_ask(struct session* session, enum question question, int* yes, struct fault* fault)
{
  struct asked* asked = &session->asked[question];
  if (session->state == STATE_NONE || (question == QUESTION_NEED_CHECKPOINT && session->state != STATE_IDLE)) {
    int illegal = needs(session, STATE_IDLE, fault);
    *yes = answer_to_failure(session, question, illegal);
    return illegal;
  }
  int pause = now_us() - asked->end_us >= ASKED_PAUSE_US;
  asked->in_a_row = pause ? 0 : asked->in_a_row < 8 * ASKED_MAX_AHEAD ? asked->in_a_row + 1 : asked->in_a_row;
  int bad = SCR_SUCCESS;
  if (session->wire.end.number == SCR_SUCCESS && asked->next <= asked->until) {
    asked->next++;
  } else {
    bad = ask_daemon(session, question, fault);
  }
  *yes = bad ? answer_to_failure(session, question, bad) : asked->yes;
  asked->end_us = now_us();
  return bad;
}

/* One question: where a dataset is on its way to the prefix directory. */
static int flush_state(struct session* session, const char* verb, const char* name, int* flushed, int* wanted,
    struct fault* fault)
{
  json_t* reply = NULL;
  json_t* body = json_pack(
      "{s:I, s:i, s:s}", "run", (json_int_t)session->run, "rank", session->rank, "name", name);
  int bad = body == NULL ? bad_dataset_name(fault) : wire_call(&session->wire, verb, body, &reply, fault);
  if (bad) {
    return bad;
  }
  json_t* is_flushed = json_object_get(reply, "flushed");
  json_t* is_wanted = json_object_get(reply, "wanted");
  if (!json_is_boolean(is_flushed) || !json_is_boolean(is_wanted)) {
    bad = misunderstood(session, "flushed", fault);
  } else {
    *flushed = json_is_true(is_flushed);
    *wanted = json_is_true(is_wanted);
  }
  json_decref(reply);
  return bad;
}

int session_flush(struct session* session, const char* verb, const char* name, int* flag, struct fault* fault)
{
  int flushed = 0;
  int wanted = 0;
  *flag = 0;
  if (session->state == STATE_NONE) {
    return needs(session, STATE_IDLE, fault);
  }
  if (name == NULL || !is_name(name)) {
    return bad_dataset_name(fault);
  }
  do {
    int bad = flush_state(session, verb, name, &flushed, &wanted, fault);
    if (bad) {
      return bad;
    }
  } while (wanted && strcmp(verb, "flush-wait") == 0);
  *flag = flushed;
  return SCR_SUCCESS;
}

int session_dataset(struct session* session, const char* verb, const char* name, struct fault* fault)
{
  int bad = needs(session, STATE_IDLE, fault);
  if (bad) {
    return bad;
  }
  json_t* body = name == NULL || !is_name(name) ? NULL : json_pack("{s:s}", "name", name);
  return body == NULL ? bad_dataset_name(fault) : collective(session, verb, body, NULL, fault);
}

int session_config(struct session* session, const char* query, char** value, struct fault* fault)
{
  struct wire own;
  struct wire* wire = &session->wire;
  *value = NULL;
  if (session->state == STATE_NONE && is_switched_off()) {
    return SCR_SUCCESS; /* nobody is asked, and nothing is set */
  }
  if (session->state == STATE_NONE) {
    struct fault unknown;
    int rank = 0;
    int ranks = 1;
    if (launch_find(&rank, &ranks, &unknown) != SCR_SUCCESS) {
      rank = 0; /* any daemon can answer */
      ranks = 1;
    }
    int descriptor = daemon_connect(rank, ranks, fault);
    if (descriptor < 0) {
      return fault->number;
    }
    wire_open(&own, descriptor);
    wire = &own;
  }
  json_t* body = json_pack("{s:o, s:o, s:s}", "environment", settings_environment(), "config", settings_entries(),
      "query", query);
  json_t* reply = NULL;
  int bad = body == NULL ? fault_set(fault, SCR_ERR_BAD_REQUEST, "the entry is not UTF-8 text")
                         : wire_call(wire, "config", body, &reply, fault);
  const char* found = text_of(reply, "value");
  if (found != NULL && (*value = strdup(found)) == NULL) {
    bad = out_of_memory(fault);
  }
  json_decref(reply);
  if (wire == &own) {
    wire_close(&own);
  }
  return bad;
}
