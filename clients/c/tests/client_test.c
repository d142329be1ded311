/* The functions of scr.h against a daemon that the test plays: what is sent, what is returned, what is legal when. */
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "fake_daemon.h"
#include "scr.h"

#define MAX_HEARD 256

/* What the daemon has heard, and how it differs from a good one. */
static struct {
  char directory[128];
  char socket[160];
  struct fake_daemon* daemon;
  const char* program;
  json_t* heard[MAX_HEARD]; /* bodies, with the verb added */
  int count;
  const char* odd_verb; /* NULL: none */
  int fault;            /* what the odd verb fails with; 0: it has the body below */
  json_t* odd_body;
  int times;            /* how often */
  int refuses_settings;
  int answers_nothing;  /* the odd verb ends the connection instead */
  int ends_with_reason; /* ends the connection behind the next answer, and says why */
} world;

static struct fake_answer script(const char* verb, json_t* call, void* context)
{
  char cache[160];
  (void)context;
  CHECK(world.count < MAX_HEARD);
  json_t* noted = json_deep_copy(json_object_get(call, "body"));
  json_object_set_new(noted, "verb", json_string(verb));
  world.heard[world.count++] = noted;
  if (world.odd_verb != NULL && strcmp(verb, world.odd_verb) == 0 && world.times > 0) {
    world.times--;
    if (world.answers_nothing) {
      return (struct fake_answer){.hangs_up = 1};
    }
    return world.fault ? fake_failure(call, world.fault, "as the test says")
                       : fake_message(call, json_incref(world.odd_body));
  }
  if (world.refuses_settings && json_object_get(noted, "config") != NULL) {
    return fake_failure(call, SCR_ERR_BAD_REQUEST, "InitRequest: field 'environment' is unknown");
  }
  snprintf(cache, sizeof cache, "%s/cache/rank.3", world.directory);
  struct fake_answer answer = fake_message(call, fake_reply(verb, call, cache));
  if (world.ends_with_reason) {
    static const char REASON[] = "\0\0\0\063{\"type\":\"err\",\"failureCode\":2,\"message\":\"too many\"}";
    world.ends_with_reason = 0;
    answer.bytes = realloc(answer.bytes, answer.count + sizeof REASON - 1);
    memcpy(answer.bytes + answer.count, REASON, sizeof REASON - 1);
    answer.count += sizeof REASON - 1;
    answer.hangs_up = 1;
  }
  return answer;
}

static void forget_heard(void)
{
  while (world.count > 0) {
    json_decref(world.heard[--world.count]);
  }
}

static void good_daemon(void)
{
  world.odd_verb = NULL;
  json_decref(world.odd_body);
  world.odd_body = NULL;
  world.answers_nothing = 0;
}

static void fails(const char* verb, int fault, int times)
{
  good_daemon();
  world.odd_verb = verb;
  world.fault = fault;
  world.times = times;
}

static void answers(const char* verb, json_t* body)
{
  fails(verb, 0, 1000);
  world.odd_body = body;
}

static json_t* last(void)
{
  return world.heard[world.count - 1];
}

static const char* text(json_t* body, const char* field)
{
  return json_string_value(json_object_get(body, field));
}

static long long number(json_t* body, const char* field)
{
  return json_integer_value(json_object_get(body, field));
}

static void begin(void)
{
  good_daemon();
  CHECK_INT(SCR_SUCCESS, SCR_Init());
}

static void finish(void)
{
  good_daemon();
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  forget_heard();
}

/* What is written to stderr from here on is the test's ... */
static FILE* catch_stderr(int* kept)
{
  FILE* said = tmpfile();
  *kept = dup(STDERR_FILENO);
  CHECK(*kept >= 0 && said != NULL && dup2(fileno(said), STDERR_FILENO) >= 0);
  return said;
}

/* ... until here. */
static void read_caught(FILE* said, int kept, char* text, size_t room)
{
  CHECK(dup2(kept, STDERR_FILENO) >= 0 && close(kept) == 0);
  rewind(said);
  size_t count = fread(text, 1, room - 1, said);
  text[count] = '\0';
  CHECK(count > 0 && fclose(said) == 0);
}

/* ---- tests ---- */

/* The one who started the run reads them; where they are no texts, they are left out. */
static void what_the_user_must_know_is_said_once_on_stderr(void)
{
  char text[200];
  int kept;
  FILE* said = catch_stderr(&kept);
  answers("init", json_pack("{s:I, s:s, s:i, s:[s, i, s]}", "run", (json_int_t)7, "node", "n1", "version", 1,
      "remarks", "the run starts without a checkpoint", 5, "made"));
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  int flag;
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, NULL));
  finish();
  answers("init", json_pack("{s:I, s:s, s:i, s:s}", "run", (json_int_t)7, "node", "n1", "version", 1, "remarks", "x"));
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  finish();
  read_caught(said, kept, text, sizeof text);
  CHECK_TEXT("scr: the run starts without a checkpoint\nscr: made\n", text);
}

static void a_whole_life_as_the_messages_describe_it(void)
{
  static const char* const VERBS[] = {"init", "have-restart", "start-restart", "complete-restart", "start-output",
      "complete-output", "start-output", "complete-output", "flush-test", "flush-wait", "current", "drop", "delete",
      "finalize"};
  char name[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  char expected[SCR_MAX_FILENAME];
  int flag = 9;
  begin();
  CHECK_TEXT("5", text(json_object_get(last(), "environment"), "SCR_RANKS"));
  CHECK_INT(0, json_array_size(json_object_get(last(), "config")));
  json_object_del(last(), "environment");
  json_object_del(last(), "config");
  char* init = json_dumps(last(), JSON_SORT_KEYS | JSON_COMPACT);
  CHECK_TEXT("{\"jobName\":\"job\",\"prefix\":\"/tmp\",\"rank\":3,\"ranks\":5,\"verb\":\"init\"}", init);
  free(init);
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, name));
  CHECK_INT(1, flag);
  CHECK_TEXT("before", name);
  CHECK_INT(SCR_SUCCESS, SCR_Start_restart(NULL));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("other", file));
  snprintf(expected, sizeof expected, "%s/cache/rank.3/other", world.directory);
  CHECK_TEXT(expected, file);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_restart(1));
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("step-1", SCR_FLAG_CHECKPOINT | SCR_FLAG_OUTPUT));
  CHECK_INT(3, number(last(), "flags"));
  CHECK_TEXT("step-1", text(last(), "name"));
  char other[SCR_MAX_FILENAME];
  snprintf(other, sizeof other, "%s/a/x", world.directory);
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(other, file));
  snprintf(other, sizeof other, "%s/b/x", world.directory);
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(other, file));
  snprintf(expected, sizeof expected, "%s/cache/rank.3/1/x", world.directory);
  CHECK_TEXT(expected, file);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(0));
  CHECK(json_is_false(json_object_get(last(), "valid")));
  json_t* files = json_object_get(last(), "files");
  CHECK_INT(2, json_array_size(files));
  CHECK_TEXT(other, text(json_array_get(files, 1), "path"));
  CHECK_TEXT("1/x", text(json_array_get(files, 1), "name"));
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  CHECK(json_object_get(last(), "name") == NULL);
  CHECK_INT(1, number(last(), "flags"));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  CHECK(json_is_true(json_object_get(last(), "valid")));
  CHECK_INT(SCR_SUCCESS, SCR_Flush_test("step-1", &flag));
  CHECK_INT(1, flag);
  CHECK_TEXT("step-1", text(last(), "name"));
  flag = 9;
  CHECK_INT(SCR_SUCCESS, SCR_Flush_wait("step-1", &flag));
  CHECK_INT(1, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Current("step-1"));
  CHECK_INT(SCR_SUCCESS, SCR_Drop("step-1"));
  CHECK_INT(SCR_SUCCESS, SCR_Delete("step-1"));
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  CHECK_INT(sizeof VERBS / sizeof VERBS[0], world.count);
  for (int i = 0, call = 0; i < world.count; i++) {
    CHECK_TEXT(VERBS[i], text(world.heard[i], "verb"));
    if (i > 0) {
      int is_numbered = strncmp(VERBS[i], "flush-", 6) != 0;
      CHECK_INT(is_numbered, json_object_get(world.heard[i], "call") != NULL);
      CHECK_INT(is_numbered ? ++call : 0, number(world.heard[i], "call"));
      CHECK_INT(7, number(world.heard[i], "run"));
      CHECK_INT(3, number(world.heard[i], "rank"));
    }
  }
  forget_heard();
}

/* Makes every call that must be refused in a state; bits of legal say which may not. */
static void refuses_all_but(unsigned legal)
{
  char text_room[SCR_MAX_FILENAME];
  int flag;
  int heard = world.count;
#define REFUSED(bit, call) if (!(legal & (1u << (bit)))) CHECK_INT(SCR_ERR_WRONG_STATE, call)
  REFUSED(0, SCR_Init());
  REFUSED(1, SCR_Finalize());
  REFUSED(2, SCR_Have_restart(&flag, text_room));
  REFUSED(3, SCR_Start_restart(text_room));
  REFUSED(4, SCR_Complete_restart(1));
  REFUSED(5, SCR_Start_checkpoint());
  REFUSED(5, SCR_Start_output("a", SCR_FLAG_OUTPUT));
  REFUSED(6, SCR_Complete_checkpoint(1));
  REFUSED(6, SCR_Complete_output(1));
  REFUSED(8, SCR_Current("a"));
  REFUSED(8, SCR_Drop("a"));
  REFUSED(8, SCR_Delete("a"));
  REFUSED(9, SCR_Should_exit(&flag));
  REFUSED(9, SCR_Need_checkpoint(&flag));
  REFUSED(9, SCR_Flush_test("a", &flag));
  REFUSED(9, SCR_Flush_wait("a", &flag));
  CHECK_INT(heard, world.count);
}

static void what_is_not_legal_is_refused_and_not_sent(void)
{
  refuses_all_but(1u << 0);
  begin();
  refuses_all_but(1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 8 | 1u << 9);
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  refuses_all_but(1u << 6 | 1u << 9);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  CHECK_INT(SCR_SUCCESS, SCR_Start_restart(NULL));
  refuses_all_but(1u << 4 | 1u << 9);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_restart(1));
  finish();
  refuses_all_but(1u << 0);
}

static void wrong_arguments_are_refused_and_not_sent(void)
{
  char long_name[SCR_MAX_FILENAME + 1];
  int flag;
  memset(long_name, 'x', SCR_MAX_FILENAME);
  long_name[SCR_MAX_FILENAME] = '\0';
  begin();
  int heard = world.count;
  for (int flags = -1; flags <= 4; flags++) {
    if (flags < 1 || flags > 3) {
      CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Start_output("a", flags));
    }
  }
  const char* bad[] = {"", "a\nb", "\x7f", "\xc2\x85", "\xff", long_name};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Start_output(bad[i], 1));
    CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Current(bad[i]));
    CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Flush_test(bad[i], &flag));
  }
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Delete(NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Flush_test(NULL, &flag));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Flush_wait("a", NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Route_file(NULL, (char[SCR_MAX_FILENAME]){0}));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Route_file("a", NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Should_exit(NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Need_checkpoint(NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Have_restart(NULL, NULL));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Route_file(long_name, (char[SCR_MAX_FILENAME]){0}));
  CHECK_INT(heard, world.count);
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, NULL));
  CHECK_INT(1, number(last(), "call"));
  finish();
}

/* Of a program in another language, where the limit is 1023 characters and not bytes. */
static void a_name_that_does_not_fit_is_an_error_and_leaves_the_state_that_the_daemon_has(void)
{
  char long_name[SCR_MAX_FILENAME + 2];
  char name[SCR_MAX_FILENAME] = "before";
  int flag;
  for (int i = 0; i < SCR_MAX_FILENAME; i += 2) {
    memcpy(long_name + i, "\xc3\xa4", 3);
  }
  begin();
  answers("have-restart", json_pack("{s:b, s:i, s:s}", "available", 1, "dataset", 4, "name", long_name));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Have_restart(&flag, name));
  CHECK(flag == 0 && name[0] == '\0');
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, NULL));
  CHECK_INT(1, flag);
  answers("start-restart", json_pack("{s:i, s:s, s:s, s:[]}", "dataset", 4, "name", long_name, "directory", "/c",
      "files"));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Start_restart(name));
  CHECK_TEXT("", name);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_restart(1));
  CHECK_TEXT("complete-restart", text(last(), "verb"));
  finish();
}

static void outside_of_a_phase_route_gives_the_name_back(void)
{
  char file[SCR_MAX_FILENAME];
  static const char* const NAMES[] = {"before/../init", "between/../phases", "after/../finalize"};
  for (int i = 0; i < 3; i++) {
    if (i == 1) {
      begin();
    }
    int heard = world.count;
    CHECK_INT(SCR_SUCCESS, SCR_Route_file(NAMES[i], file));
    CHECK_TEXT(NAMES[i], file);
    CHECK_INT(heard, world.count);
    if (i == 1) {
      finish();
    }
  }
}

static void where_the_daemon_names_no_rule_route_asks_it(void)
{
  char file[SCR_MAX_FILENAME];
  char working[SCR_MAX_FILENAME];
  begin();
  answers("start-output", json_pack("{s:i, s:s, s:s}", "dataset", 1, "name", "a", "directory", "/nowhere"));
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("a", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("x/y", file));
  CHECK_TEXT("/routed/x/y", file);
  CHECK_TEXT("route", text(last(), "verb"));
  CHECK_TEXT(getcwd(working, sizeof working), text(last(), "directory"));
  CHECK(json_object_get(last(), "call") == NULL);
  good_daemon();
  fails("route", SCR_ERR_NO_SPACE, 1);
  CHECK_INT(SCR_ERR_NO_SPACE, SCR_Route_file("x/y", file));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1));
  CHECK(json_object_get(last(), "files") == NULL);
  answers("start-output", json_pack("{s:i, s:s, s:s, s:i}", "dataset", 1, "name", "a", "directory", "/nowhere",
      "naming", 2)); /* a rule of the future */
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("a", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("x/y", file));
  CHECK_TEXT("/routed/x/y", file);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1));
  finish();
}

static void every_fault_comes_back_as_its_number_and_leaves_the_state_that_it_says(void)
{
  for (int fault = 1; fault <= 29; fault++) {
    int expected = fault <= SCR_ERR_TAKEN_OVER ? fault : SCR_ERR_INTERNAL;
    int open = fault == SCR_ERR_BAD_REQUEST || fault == SCR_ERR_WRONG_STATE || fault == SCR_ERR_UNKNOWN_RANK
        || fault == SCR_ERR_RANKS_DISAGREE || fault == SCR_ERR_BUSY || fault == SCR_ERR_STOPPING;
    if (fault == SCR_ERR_TIMEOUT) {
      continue;
    }
    begin();
    CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
    fails("complete-output", fault, 1);
    CHECK_INT(expected, SCR_Complete_checkpoint(1));
    CHECK_INT(open ? SCR_SUCCESS : SCR_ERR_WRONG_STATE, SCR_Complete_checkpoint(1));
    int counted = open && fault != SCR_ERR_BUSY && fault != SCR_ERR_STOPPING && fault != SCR_ERR_BAD_REQUEST;
    CHECK_INT(counted ? 3 : 2, number(last(), "call"));
    finish();
  }
}

static void a_call_whose_outcome_nobody_knows_is_made_again_with_its_number(void)
{
  int flag;
  begin();
  fails("start-output", SCR_ERR_TIMEOUT, 3);
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("a", SCR_FLAG_CHECKPOINT));
  CHECK_INT(5, world.count);
  for (int i = 1; i < 5; i++) {
    CHECK_INT(1, number(world.heard[i], "call"));
  }
  fails("complete-output", SCR_ERR_TIMEOUT, 7);
  CHECK_INT(SCR_ERR_TIMEOUT, SCR_Complete_output(1));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1)); /* the phase was still open */
  CHECK_INT(2, number(last(), "call"));
  fails("start-output", SCR_ERR_TIMEOUT, 5);
  CHECK_INT(SCR_ERR_TIMEOUT, SCR_Start_output("b", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Have_restart(&flag, NULL)); /* would get the answer of the other call */
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("b", SCR_FLAG_CHECKPOINT));
  CHECK_INT(3, number(last(), "call"));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1));
  finish();
}

static void a_daemon_that_is_gone_fails_all_calls_until_the_next_init(void)
{
  int flag;
  char file[SCR_MAX_FILENAME];
  begin();
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  fails("complete-output", 0, 1);
  world.answers_nothing = 1;
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Complete_checkpoint(1));
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Start_checkpoint());
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Should_exit(&flag));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("a", file));
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Finalize());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Finalize());
  forget_heard();

  begin();
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  fake_stop(world.daemon);
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Complete_checkpoint(1));
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Finalize());
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Init());
  world.daemon = fake_start(world.socket, script, NULL);
  forget_heard();
  begin();
  fails("have-restart", SCR_ERR_RANK_LOST, 1);
  CHECK_INT(SCR_ERR_RANK_LOST, SCR_Have_restart(&flag, NULL));
  fails("finalize", SCR_ERR_RANK_LOST, 1);
  char line[256];
  int kept;
  FILE* said = catch_stderr(&kept);
  CHECK_INT(SCR_ERR_RANK_LOST, SCR_Finalize());
  read_caught(said, kept, line, sizeof line);
  CHECK(strstr(line, "scr: rank 3: SCR_Finalize: RANK_LOST (11): as the test says") == line);
  begin();
  finish();
}

/* A rank that forks, and goes on where its child may not. */
static int forks(void)
{
  char file[SCR_MAX_FILENAME];
  int status;
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Route_file("/tmp/a", file));
    CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Complete_checkpoint(1));
    CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Finalize());
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  CHECK_INT(0, WEXITSTATUS(status));
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("/tmp/a", file));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  return 0;
}

/* A rank that dies, and leaves a child behind, which lives until its standard input ends. */
static int dies(void)
{
  char none;
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  if (fork() == 0) {
    CHECK(read(STDIN_FILENO, &none, 1) == 0);
  }
  _exit(0);
}

/* Runs this program, which is to end well. */
static void run_one_that_forks(const char* how, int input, int other_end)
{
  int status;
  pid_t rank = fork();
  CHECK(rank >= 0);
  if (rank == 0) {
    CHECK(dup2(input, STDIN_FILENO) == STDIN_FILENO && close(other_end) == 0);
    execl(world.program, world.program, how, NULL);
    _exit(8);
  }
  CHECK(waitpid(rank, &status, 0) == rank && WIFEXITED(status));
  CHECK_INT(0, WEXITSTATUS(status));
}

/* The socket takes no call any more, and still has what the daemon said last. */
static void a_daemon_that_has_said_why_it_closes_is_heard(void)
{
  char line[256];
  int kept;
  int flag;
  begin();
  world.ends_with_reason = 1;
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  fake_stop(world.daemon);
  FILE* said = catch_stderr(&kept);
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Complete_checkpoint(1));
  read_caught(said, kept, line, sizeof line);
  CHECK(strstr(line, "too many") != NULL);
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Should_exit(&flag));
  CHECK_INT(1, flag);
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Finalize());
  world.daemon = fake_start(world.socket, script, NULL);
  forget_heard();
}

/* The daemon of the test takes the next connection once the one before has ended. */
static void a_forked_child_is_no_rank_and_the_end_of_its_parent_is_seen(void)
{
  int life[2];
  CHECK(pipe(life) == 0);
  run_one_that_forks("forks", life[0], life[1]);
  CHECK_INT(4, world.count);
  CHECK_INT(1, json_array_size(json_object_get(world.heard[2], "files")));
  run_one_that_forks("dies", life[0], life[1]);
  begin();
  finish();
  CHECK(close(life[0]) == 0 && close(life[1]) == 0);
}

/* What the process does that is to end itself. */
static int ends(void)
{
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  SCR_Complete_checkpoint(1);
  return 7; /* not reached */
}

/* Lets a process do it; what it says on stderr. */
static void run_one_that_ends(char* said, size_t room)
{
  int status;
  int kept;
  fflush(NULL);
  FILE* caught = catch_stderr(&kept);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execl(world.program, world.program, "ends", NULL);
    _exit(8);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  fputs(" ", stderr); /* rank 0 alone says anything */
  read_caught(caught, kept, said, room);
  CHECK_INT(0, WEXITSTATUS(status));
}

static void an_init_that_says_so_ends_the_process_and_rank_0_says_why(void)
{
  char said[256];
  fails("init", SCR_ERR_HALT_EXIT, 1);
  run_one_that_ends(said, sizeof said);
  CHECK_TEXT(" ", said);
  setenv("SCR_RANK", "0", 1);
  fails("init", SCR_ERR_HALT_EXIT, 1);
  run_one_that_ends(said, sizeof said);
  CHECK_TEXT("scr: the run ends here (SCR_HALT_EXIT=1): as the test says\n ", said);
  setenv("SCR_RANK", "3", 1);
  good_daemon();
  forget_heard();
}

static void a_complete_that_says_so_ends_the_process_after_finalize(void)
{
  char said[256];
  answers("complete-output", json_pack("{s:i, s:s, s:s, s:b}", "dataset", 5, "name", "a", "halt", "time is up", "exit",
      1));
  run_one_that_ends(said, sizeof said);
  CHECK(strstr(said, "the run ends here") == NULL); /* it is rank 3 */
  CHECK_TEXT("finalize", text(last(), "verb"));
  good_daemon();
  forget_heard();
}

/* For a program that looks at no return value: it neither computes without checkpoints nor reads what was never there. */
static void a_call_that_fails_sets_all_it_writes_to_and_where_no_run_is_on_says_to_stop(void)
{
  int flag = 9;
  char name[SCR_MAX_FILENAME] = "old";
  fails("init", SCR_ERR_HALTED, 1);
  CHECK_INT(SCR_ERR_HALTED, SCR_Init());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Should_exit(&flag));
  CHECK_INT(1, flag);
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Need_checkpoint(&flag));
  CHECK_INT(0, flag);
  flag = 9;
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Have_restart(&flag, name));
  CHECK_INT(0, flag);
  CHECK_TEXT("", name);
  flag = 9;
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Flush_test("a", &flag));
  CHECK_INT(0, flag);

  begin();
  static const int PASSING[] = {SCR_ERR_BUSY, SCR_ERR_STOPPING, SCR_ERR_BAD_REQUEST};
  for (int i = 0; i < 3; i++) {
    flag = 9;
    fails("should-exit", PASSING[i], 1);
    CHECK_INT(PASSING[i], SCR_Should_exit(&flag));
    CHECK_INT(0, flag);
  }
  fails("start-restart", SCR_ERR_WRONG_STATE, 1);
  strcpy(name, "old");
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Start_restart(name));
  CHECK_TEXT("", name);
  good_daemon();
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  strcpy(name, "old");
  CHECK_INT(SCR_ERR_OUTSIDE_PREFIX, SCR_Route_file("/etc/passwd", name));
  CHECK_TEXT("", name);
  flag = 9;
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Need_checkpoint(&flag));
  CHECK_INT(0, flag);
  fails("should-exit", SCR_ERR_RANK_LOST, 1);
  CHECK_INT(SCR_ERR_RANK_LOST, SCR_Should_exit(&flag));
  CHECK_INT(1, flag);
  good_daemon();
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  fails("need-checkpoint", SCR_ERR_RANK_LOST, 1);
  flag = 9;
  CHECK_INT(SCR_ERR_RANK_LOST, SCR_Need_checkpoint(&flag));
  CHECK_INT(0, flag);
  finish();
}

static void questions_count_their_calls_apart(void)
{
  int flag = 9;
  int kept;
  char said[64];
  begin();
  answers("need-checkpoint", json_pack("{s:b, s:[s]}", "need", 1, "remarks", "by what"));
  FILE* caught = catch_stderr(&kept);
  CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  read_caught(caught, kept, said, sizeof said);
  CHECK_TEXT("scr: by what\n", said);
  CHECK_INT(1, flag);
  good_daemon();
  CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  CHECK_INT(2, number(last(), "call"));
  CHECK_INT(SCR_SUCCESS, SCR_Should_exit(&flag));
  CHECK_INT(1, number(last(), "call"));
  answers("should-exit", json_pack("{s:b}", "exit", 0));
  CHECK_INT(SCR_SUCCESS, SCR_Should_exit(&flag));
  CHECK_INT(0, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  CHECK_INT(1, number(last(), "call"));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  finish();
}

static void who_asks_without_a_pause_gets_answers_ahead_and_uses_them_without_a_message(void)
{
  int flag = 9;
  int asked = 0;
  begin();
  do {
    forget_heard();
    CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
    asked++;
  } while (json_object_get(last(), "ahead") == NULL);      /* a machine that is busy makes pauses */
  CHECK(asked > 8);
  CHECK_INT(asked, number(last(), "call"));
  CHECK_INT(1, number(last(), "ahead"));
  answers("need-checkpoint", json_pack("{s:b, s:i}", "need", 0, "until", asked + 4));
  CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  CHECK_INT(0, flag);
  good_daemon();
  forget_heard();
  for (int i = 2; i <= 4; i++) {
    flag = 9;
    CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
    CHECK_INT(0, flag);
    CHECK_INT(0, world.count);
    if (i == 2) {                                          /* the other question has answers of its own, a phase none */
      CHECK_INT(SCR_SUCCESS, SCR_Should_exit(&flag));
      CHECK_INT(1, number(last(), "call"));
      CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
      CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Need_checkpoint(&flag));
      CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
      forget_heard();
    }
  }
  CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  CHECK_INT(1, flag);
  CHECK_INT(asked + 5, number(last(), "call"));
  fails("start-output", 0, 1);
  world.answers_nothing = 1;
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Start_checkpoint());
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Need_checkpoint(&flag));
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Finalize());
  forget_heard();
}

static void answers_of_another_form_are_errors(void)
{
  static const struct {
    const char* verb;
    const char* body;
  } CASES[] = {{"init", "{}"}, {"init", "{\"run\":\"x\"}"}, {"init", "{\"run\":1,\"version\":2}"},
      {"start-output", "{}"}, {"start-output", "{\"name\":\"a\",\"directory\":\"b\"}"},
      {"start-output", "{\"name\":1,\"directory\":\"/b\"}"}, {"have-restart", "{}"},
      {"have-restart", "{\"available\":true}"}, {"should-exit", "{\"exit\":1}"}, {"need-checkpoint", "{}"},
      {"should-exit", "{\"exit\":true,\"until\":0}"}, {"should-exit", "{\"exit\":true,\"until\":33}"},
      {"need-checkpoint", "{\"need\":true,\"until\":\"9\"}"}};
  int flag = 7;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    answers(CASES[i].verb, json_loads(CASES[i].body, 0, NULL));
    int failed = SCR_Init();
    failed = failed ? failed : SCR_Need_checkpoint(&flag);
    failed = failed ? failed : SCR_Should_exit(&flag);
    failed = failed ? failed : SCR_Have_restart(&flag, NULL);
    failed = failed ? failed : SCR_Start_checkpoint();
    CHECK(failed == SCR_ERR_INTERNAL || failed == SCR_ERR_BAD_CONFIGURATION);
    good_daemon();
    SCR_Finalize();
    forget_heard();
  }
}

static void entries_are_kept_and_questions_carry_them(void)
{
  CHECK(SCR_Config("SCR_FLUSH=5") == NULL);
  CHECK(SCR_Configf("CKPT=%d TYPE=%s", 0, "XOR") == NULL);
  CHECK(SCR_Config(NULL) == NULL && SCR_Config("") == NULL);
  const char* value = SCR_Config("SCR_FLUSH");
  CHECK_TEXT("10", value);
  free((char*)value);
  CHECK_TEXT("SCR_FLUSH", text(last(), "query"));
  CHECK_INT(2, json_array_size(json_object_get(last(), "config")));
  CHECK_TEXT("job", text(json_object_get(last(), "environment"), "SCR_JOB_NAME"));
  begin();
  CHECK_TEXT("CKPT=0 TYPE=XOR", json_string_value(json_array_get(json_object_get(last(), "config"), 1)));
  CHECK(SCR_Config("SCR_FLUSH=6") == NULL); /* too late, and said so */
  answers("config", json_object());
  CHECK(SCR_Config("CKPT=0 TYPE") == NULL); /* not set */
  CHECK_INT(2, json_array_size(json_object_get(last(), "config")));
  finish();
}

static void a_daemon_that_takes_no_settings_is_joined_unless_there_are_some_for_it(void)
{
  good_daemon();
  world.refuses_settings = 1;
  CHECK(SCR_Config(" SCR_JOB_NAME=other") == NULL);
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK_INT(2, world.count);
  CHECK(json_object_get(last(), "config") == NULL && json_object_get(last(), "environment") == NULL);
  finish();
  CHECK(SCR_Config("SCR_FLUSH=5") == NULL);
  CHECK_INT(SCR_ERR_BAD_CONFIGURATION, SCR_Init());
  world.refuses_settings = 0;
  begin();
  finish();
}

static void the_socket_is_found_where_only_one_daemon_is_or_that_of_this_host(void)
{
  char base[160];
  char path[300];
  snprintf(base, sizeof base, "%s/c", world.directory);
  unsetenv("SCR_SOCKET");
  setenv("SCR_CNTL_BASE", base, 1);
  setenv("SCR_USER_NAME", "u", 1);
  setenv("SCR_JOB_ID", "9", 1);
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Init());
  static const char* const PARTS[] = {"", "/u", "/u/scr.9", "/u/scr.9/n1", "/u/scr.9/n3", "/u/scr.9/n2",
      "/u/scr.9/dead"};
  for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
    snprintf(path, sizeof path, "%s%s", base, PARTS[i]);
    CHECK(mkdir(path, 0700) == 0);
  }
  CHECK_INT(SCR_ERR_NODE_LOST, SCR_Init());
  snprintf(path, sizeof path, "%s/u/scr.9/n1/scr.sock", base);
  struct fake_daemon* first = fake_start(path, script, NULL);
  snprintf(path, sizeof path, "%s/u/scr.9/dead/scr.sock", base);
  fclose(fopen(path, "w"));
  begin();
  finish();
  snprintf(path, sizeof path, "%s/u/scr.9/n2/scr.sock", base);
  struct fake_daemon* second = fake_start(path, script, NULL);
  snprintf(path, sizeof path, "%s/u/scr.9/n3/scr.sock", base);
  struct fake_daemon* third = fake_start(path, script, NULL);
  char said[2048];
  char list[1000];
  int kept;
  FILE* caught = catch_stderr(&kept);
  CHECK_INT(SCR_ERR_BAD_CONFIGURATION, SCR_Init());
  read_caught(caught, kept, said, sizeof said);
  snprintf(list, sizeof list, "SCR_SOCKET=%s/u/scr.9/n1/scr.sock:%s/u/scr.9/n2/scr.sock:%s/u/scr.9/n3/scr.sock\n", base,
      base, base);
  CHECK(strstr(said, "3 daemons") != NULL && strstr(said, list) != NULL);
  char host[HOST_NAME_MAX + 1];
  CHECK_INT(0, gethostname(host, sizeof host));
  snprintf(path, sizeof path, "%s/u/scr.9/%s", base, host);
  CHECK(mkdir(path, 0700) == 0);
  snprintf(path, sizeof path, "%s/u/scr.9/%s/scr.sock", base, host);
  struct fake_daemon* of_host = fake_start(path, script, NULL);
  begin();
  finish();
  fake_stop(of_host);
  snprintf(path, sizeof path, "%s/u/scr.9/n3/scr.sock", base);
  setenv("SCR_SOCKET", path, 1);
  begin();
  finish();
  char long_path[300];
  memset(long_path, 'x', sizeof long_path);
  long_path[0] = '/';
  long_path[299] = '\0';
  setenv("SCR_SOCKET", long_path, 1);
  CHECK_INT(SCR_ERR_BAD_CONFIGURATION, SCR_Init());
  static const char* const EMPTY_ENTRIES[] = {":", "/a:", ":/a", "/a::/b"};
  for (size_t i = 0; i < sizeof EMPTY_ENTRIES / sizeof EMPTY_ENTRIES[0]; i++) {
    setenv("SCR_SOCKET", EMPTY_ENTRIES[i], 1);
    caught = catch_stderr(&kept);
    CHECK_INT(SCR_ERR_BAD_CONFIGURATION, SCR_Init());
    read_caught(caught, kept, said, sizeof said);
    snprintf(list, sizeof list, "SCR_SOCKET is '%s' and has an empty entry", EMPTY_ENTRIES[i]);
    CHECK(strstr(said, list) != NULL);
  }
  fake_stop(first);
  fake_stop(second);
  fake_stop(third);
  setenv("SCR_SOCKET", world.socket, 1);
}

/* What a program writes to streams that it has not must not be taken for frames. */
static int has_no_streams(void)
{
  int flag;
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK(write(STDIN_FILENO, "text", 4) < 0 && write(STDOUT_FILENO, "text", 4) < 0 && write(STDERR_FILENO, "text", 4) < 0);
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, NULL));
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  return 0;
}

static void a_program_without_standard_streams_is_served(void)
{
  char command[1024];
  snprintf(command, sizeof command, "exec '%s' has-no-streams <&- >&- 2>&-", world.program);
  CHECK_INT(0, system(command));
  CHECK_INT(3, world.count);
  forget_heard();
}

/* Of a job that cleans up too early. */
static void no_working_directory_is_needed_where_all_paths_are_absolute(void)
{
  char gone[160];
  char working[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  CHECK(getcwd(working, sizeof working) != NULL);
  snprintf(gone, sizeof gone, "%s/gone", world.directory);
  CHECK(mkdir(gone, 0700) == 0 && chdir(gone) == 0 && rmdir(gone) == 0);
  begin();
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("/tmp/a", file));
  CHECK_INT(SCR_ERR_IO, SCR_Route_file("a", file));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  answers("start-output", json_pack("{s:i, s:s, s:s}", "dataset", 1, "name", "a", "directory", "/nowhere"));
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint()); /* the daemon is asked where files are */
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("/tmp/a", file));
  CHECK_INT(SCR_ERR_IO, SCR_Route_file("a", file));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  finish();
  setenv("SCR_PREFIX", "x", 1);
  CHECK_INT(SCR_ERR_IO, SCR_Init());
  setenv("SCR_PREFIX", "/tmp/x/..", 1);
  CHECK(chdir(working) == 0);
}

/* What Init says on stderr, with this prefix directory; NULL: none is set. */
static int init_with_prefix(const char* prefix, char* said, size_t room)
{
  int kept;
  if (prefix == NULL) {
    unsetenv("SCR_PREFIX");
  } else {
    setenv("SCR_PREFIX", prefix, 1);
  }
  FILE* caught = catch_stderr(&kept);
  int outcome = SCR_Init();
  fputs("end", stderr);
  read_caught(caught, kept, said, room);
  return outcome;
}

static void a_working_directory_may_be_deeper_than_a_name_is_long(void)
{
  char working[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  char part[201];
  char said[2048];
  memset(part, 'd', sizeof part - 1);
  part[sizeof part - 1] = '\0';
  CHECK(getcwd(working, sizeof working) != NULL && chdir(world.directory) == 0);
  for (int i = 0; i < 6; i++) {
    CHECK(mkdir(part, 0700) == 0 && chdir(part) == 0);
  }
  CHECK_INT(SCR_ERR_BAD_CONFIGURATION, init_with_prefix(NULL, said, sizeof said));
  CHECK(strstr(said, "working directory") != NULL && strstr(said, "set SCR_PREFIX to a shorter path") != NULL);
  CHECK_INT(SCR_ERR_BAD_CONFIGURATION, init_with_prefix("x", said, sizeof said));
  CHECK(strstr(said, "'x'") != NULL && strstr(said, "set SCR_PREFIX to a shorter path") != NULL);
  CHECK_INT(SCR_SUCCESS, init_with_prefix("../../../../../..", said, sizeof said));
  CHECK_TEXT(world.directory, text(last(), "prefix"));
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  CHECK_INT(SCR_SUCCESS, SCR_Route_file("../../../../../../a", file));
  CHECK_INT(SCR_ERR_BAD_REQUEST, SCR_Route_file("a", file));
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  finish();
  for (int i = 0; i < 6; i++) {
    CHECK(chdir("..") == 0 && rmdir(part) == 0);
  }
  setenv("SCR_PREFIX", "/tmp/x/..", 1);
  CHECK(chdir(working) == 0);
}

static void* routes_many(void* argument)
{
  char name[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "%s/threads/%d", world.directory, i);
    CHECK_INT(SCR_SUCCESS, SCR_Route_file(name, file));
    snprintf(name, sizeof name, "%s/own-%d/%d", world.directory, *(int*)argument, i);
    CHECK_INT(SCR_SUCCESS, SCR_Route_file(name, file));
  }
  return NULL;
}

/* What Init says where SCR_SOCKET names a token file with this text, NULL for none. */
static int init_with_token_file(const char* content)
{
  char path[200];
  snprintf(path, sizeof path, "%s/scr.tcp", world.directory);
  unlink(path);
  if (content != NULL) {
    FILE* file = fopen(path, "w");
    CHECK(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
  }
  setenv("SCR_SOCKET", path, 1);
  int outcome = SCR_Init();
  setenv("SCR_SOCKET", world.socket, 1);
  return outcome;
}

static void a_token_file_must_be_one_and_somebody_must_listen(void)
{
#define TOKEN_60 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
  static const char* const NONE[] = {"", "\n", "127.0.0.1", "127.0.0.1:1 " TOKEN_60 "\n", "127.0.0.1:0 " TOKEN_60 "cdef\n",
      "127.0.0.1:65536 " TOKEN_60 "cdef\n", "127.0.0.256:1 " TOKEN_60 "cdef\n", "127.0.0.1:1 " TOKEN_60 "cdeg\n",
      "127.0.0.1:1 " TOKEN_60 "cdef\nx", "localhost:1 " TOKEN_60 "cdef\n", "127.0.0.1:1 " TOKEN_60 TOKEN_60 "\n"};
  for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++) {
    CHECK_INT(SCR_ERR_BAD_CONFIGURATION, init_with_token_file(NONE[i]));
  }
  CHECK_INT(SCR_ERR_NODE_LOST, init_with_token_file(NULL));
  CHECK_INT(SCR_ERR_NODE_LOST, init_with_token_file("127.0.0.1:1 " TOKEN_60 "cdef\n")); /* nobody has that port */
  CHECK_INT(0, world.count);
}

static void switched_off_every_call_succeeds_without_a_daemon(void)
{
  char name[SCR_MAX_FILENAME] = "";
  char file[SCR_MAX_FILENAME];
  char wanted[SCR_MAX_FILENAME];
  int flag = 9;
  forget_heard();
  setenv("SCR_ENABLE", "0", 1);
  setenv("SCR_SOCKET", "/nowhere", 1);
  CHECK(SCR_Config("SCR_FLUSH") == NULL);
  CHECK_INT(SCR_SUCCESS, SCR_Init());
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Init());
  CHECK_INT(SCR_SUCCESS, SCR_Have_restart(&flag, name));
  CHECK_INT(0, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Need_checkpoint(&flag));
  CHECK_INT(0, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Should_exit(&flag));
  CHECK_INT(0, flag);
  CHECK_INT(SCR_SUCCESS, SCR_Start_output("x", SCR_FLAG_CHECKPOINT));
  CHECK_INT(SCR_ERR_WRONG_STATE, SCR_Start_checkpoint());
  snprintf(wanted, sizeof wanted, "%s/off/deep/file", world.directory);
  CHECK_INT(SCR_SUCCESS, SCR_Route_file(wanted, file));
  CHECK_TEXT(wanted, file);
  FILE* written = fopen(file, "w"); /* its directory is there */
  CHECK(written != NULL && fclose(written) == 0);
  CHECK_INT(SCR_SUCCESS, SCR_Complete_output(1));
  CHECK_INT(SCR_SUCCESS, SCR_Finalize());
  unsetenv("SCR_ENABLE");
  setenv("SCR_SOCKET", world.socket, 1);
  CHECK_INT(0, world.count);
}

static void many_threads_route_and_no_name_is_taken_twice(void)
{
  pthread_t threads[8];
  int numbers[8];
  begin();
  CHECK_INT(SCR_SUCCESS, SCR_Start_checkpoint());
  for (int i = 0; i < 8; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, routes_many, &numbers[i]) == 0);
  }
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], NULL);
  }
  CHECK_INT(SCR_SUCCESS, SCR_Complete_checkpoint(1));
  json_t* files = json_object_get(last(), "files");
  json_t* names = json_object();
  CHECK_INT(900, json_array_size(files));
  for (size_t i = 0; i < 900; i++) {
    json_object_set_new(names, text(json_array_get(files, i), "name"), json_true());
  }
  CHECK_INT(900, json_object_size(names));
  json_decref(names);
  finish();
}

int main(int count, char** arguments)
{
  char command[200];
  if (count > 1 && strcmp(arguments[1], "ends") == 0) {
    return ends();
  }
  if (count > 1 && strcmp(arguments[1], "forks") == 0) {
    return forks();
  }
  if (count > 1 && strcmp(arguments[1], "dies") == 0) {
    return dies();
  }
  if (count > 1 && strcmp(arguments[1], "has-no-streams") == 0) {
    return has_no_streams();
  }
  world.program = arguments[0];
  strcpy(world.directory, "/tmp/scr-client-XXXXXX");
  CHECK(mkdtemp(world.directory) != NULL);
  snprintf(world.socket, sizeof world.socket, "%s/s", world.directory);
  world.daemon = fake_start(world.socket, script, NULL);
  setenv("SCR_SOCKET", world.socket, 1);
  setenv("SCR_RANK", "3", 1);
  setenv("SCR_RANKS", "5", 1);
  setenv("SCR_PREFIX", "/tmp/x/..", 1);
  setenv("SCR_JOB_NAME", "job", 1);
  a_whole_life_as_the_messages_describe_it();
  what_the_user_must_know_is_said_once_on_stderr();
  what_is_not_legal_is_refused_and_not_sent();
  wrong_arguments_are_refused_and_not_sent();
  a_name_that_does_not_fit_is_an_error_and_leaves_the_state_that_the_daemon_has();
  outside_of_a_phase_route_gives_the_name_back();
  where_the_daemon_names_no_rule_route_asks_it();
  every_fault_comes_back_as_its_number_and_leaves_the_state_that_it_says();
  a_call_whose_outcome_nobody_knows_is_made_again_with_its_number();
  a_daemon_that_is_gone_fails_all_calls_until_the_next_init();
  a_daemon_that_has_said_why_it_closes_is_heard();
  a_forked_child_is_no_rank_and_the_end_of_its_parent_is_seen();
  an_init_that_says_so_ends_the_process_and_rank_0_says_why();
  a_complete_that_says_so_ends_the_process_after_finalize();
  a_call_that_fails_sets_all_it_writes_to_and_where_no_run_is_on_says_to_stop();
  questions_count_their_calls_apart();
  who_asks_without_a_pause_gets_answers_ahead_and_uses_them_without_a_message();
  answers_of_another_form_are_errors();
  entries_are_kept_and_questions_carry_them();
  a_daemon_that_takes_no_settings_is_joined_unless_there_are_some_for_it();
  the_socket_is_found_where_only_one_daemon_is_or_that_of_this_host();
  a_token_file_must_be_one_and_somebody_must_listen();
  a_program_without_standard_streams_is_served();
  no_working_directory_is_needed_where_all_paths_are_absolute();
  a_working_directory_may_be_deeper_than_a_name_is_long();
  switched_off_every_call_succeeds_without_a_daemon();
  many_threads_route_and_no_name_is_taken_twice();
  good_daemon();
  fake_stop(world.daemon);
  snprintf(command, sizeof command, "rm -rf -- %s", world.directory);
  CHECK(system(command) == 0);
  return 0;
}
