/* The parts that need no daemon: who this process is, what its entries say, where its files belong. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "daemon.h"
#include "launch.h"
#include "places.h"
#include "scr.h"
#include "settings.h"

/* Every line of the file that the clients' tests have in common; its form is described there. */
static void finds_rank_and_size_as_the_clients_of_other_languages_do(void)
{
  char line[1024];
  int lines = 0;
  FILE* file = fopen(LAUNCHERS_FILE, "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    struct fault fault;
    int rank = -1;
    int ranks = -1;
    char* word = strtok(line, " \n");
    if (word == NULL || word[0] == '#') {
      continue;
    }
    int refused = strcmp(word, "refused") == 0;
    int expected_rank = refused ? -1 : atoi(word);
    int expected_ranks = refused ? -1 : atoi(strtok(NULL, " \n"));
    CHECK_INT(0, clearenv());
    while ((word = strtok(NULL, " \n")) != NULL) {
      char* equals = strchr(word, '=');
      *equals = '\0';
      CHECK_INT(0, setenv(word, equals + 1, 1));
    }
    int outcome = launch_find(&rank, &ranks, &fault);
    CHECK_INT(refused ? SCR_ERR_BAD_CONFIGURATION : SCR_SUCCESS, outcome);
    CHECK(!refused || strstr(fault.message, "SCR_RANK") != NULL || strstr(fault.message, "OMPI_COMM_WORLD_RANK") != NULL);
    if (!refused) {
      CHECK_INT(expected_rank, rank);
      CHECK_INT(expected_ranks, ranks);
    }
    lines++;
  }
  fclose(file);
  CHECK(lines > 40);
}

static void tells_questions_from_settings(void)
{
  struct fault fault;
  CHECK(settings_is_query("SCR_FLUSH") && settings_is_query(" SCR_FLUSH ") && settings_is_query("CKPT=0 TYPE"));
  CHECK(!settings_is_query("SCR_FLUSH=") && !settings_is_query("CKPT=0 TYPE=XOR") && !settings_is_query("A=1  "));
  CHECK(!settings_is_query("SCR_PREFIX=\"/a b/c\""));
  unsetenv("SCR_PREFIX");
  CHECK(settings_get("SCR_PREFIX") == NULL);
  static const char* const ENTRIES[] = {"SCR_PREFIX=/one", " SCR_PREFIX=\"/two/with/=/ sign\" ", "CKPT=0 TYPE=XOR",
      "SCR_JOB_NAME=job", "SCR_JOB_NAME="};
  for (size_t i = 0; i < sizeof ENTRIES / sizeof ENTRIES[0]; i++) {
    CHECK_INT(SCR_SUCCESS, settings_add(ENTRIES[i], &fault));
  }
  CHECK_TEXT("/two/with/=/ sign", settings_get("SCR_PREFIX"));
  CHECK(settings_get("SCR_JOB_NAME") == NULL && settings_get("CKPT") == NULL);
  setenv("SCR_PREFIX", "/environment", 1);
  CHECK_TEXT("/environment", settings_get("SCR_PREFIX"));
  json_t* entries = settings_entries();
  CHECK_INT(5, json_array_size(entries));
  CHECK_TEXT("CKPT=0 TYPE=XOR", json_string_value(json_array_get(entries, 2)));
  json_decref(entries);
  json_t* environment = settings_environment();
  CHECK_TEXT("/environment", json_string_value(json_object_get(environment, "SCR_PREFIX")));
  CHECK(json_object_get(environment, "PATH") == NULL);
  json_decref(environment);
  CHECK_INT(SCR_ERR_BAD_REQUEST, settings_add("SCR_JOB_NAME=\xff", &fault));
  settings_clear();
  unsetenv("SCR_PREFIX");
}

static void takes_dots_out(void)
{
  static const char* const CASES[][3] = {{"/w", "a", "/w/a"}, {"/w", "./a/../b//c", "/w/b/c"}, {"/w", "../a", "/a"},
      {"/", "../../a", "/a"}, {"/w", "/x/./y/", "/x/y"}, {"/w", "..", "/"}, {"/w", "...", "/w/..."}};
  char path[SCR_MAX_FILENAME * 2];
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    CHECK(places_normalise(CASES[i][0], CASES[i][1], path));
    CHECK_TEXT(CASES[i][2], path);
  }
}

static void names_files_as_the_daemon_does(void)
{
  static const char* const WALKS[][2][8] = {
      {{"x", "x", "x", "y", "y"}, {"x", "1/x", "2/x", "y", "1/y"}},
      {{"1", "x", "x"}, {"1", "x", "2/x"}},
      {{"x", "x", "1"}, {"x", "1/x", "1/1"}},
      {{"01", "01", "1", "12345678", "123456789"}, {"01", "1/01", "1/1", "12345678", "123456789"}},
  };
  char name[SCR_MAX_FILENAME + 16];
  for (size_t walk = 0; walk < sizeof WALKS / sizeof WALKS[0]; walk++) {
    struct places* places = places_for_output("/p", "/c");
    for (int i = 0; i < 8 && WALKS[walk][0][i] != NULL; i++) {
      CHECK_INT(0, places_next_name(places, WALKS[walk][0][i], name));
      CHECK_TEXT(WALKS[walk][1][i], name);
    }
    places_free(places);
  }
}

static char prefix[128];
static char cache[128];

static void write_file(const char* path)
{
  FILE* file = fopen(path, "w");
  CHECK(file != NULL);
  fputs("x", file);
  fclose(file);
}

/* A prefix with links of every kind, and the current directory in it. */
static void make_prefix(void)
{
  char base[] = "/tmp/scr-parts-XXXXXX";
  CHECK(mkdtemp(base) != NULL && chdir(base) == 0);
  snprintf(prefix, sizeof prefix, "%s/p", base);
  snprintf(cache, sizeof cache, "%s/cache/d/rank.0", base);
  CHECK(mkdir("p", 0777) == 0 && mkdir("outside", 0777) == 0 && mkdir("p2", 0777) == 0);
  CHECK(chdir("p") == 0 && mkdir("run", 0777) == 0 && mkdir("run/deep", 0777) == 0 && mkdir(".scr", 0777) == 0);
  write_file("run/file");
  write_file("../outside/file");
  CHECK(symlink(prefix, "../alias") == 0 && symlink("../outside", "out") == 0 && symlink("../..", "run/up") == 0);
  CHECK(symlink("run", "latest") == 0 && symlink("../outside/file", "linkfile") == 0);
  CHECK(symlink("run/file", "inlink") == 0 && symlink("missing", "nowhere") == 0 && symlink("loop", "loop") == 0);
  CHECK(symlink(".scr", "mine") == 0);
}

static void remove_prefix(void)
{
  char command[300];
  CHECK(chdir("/") == 0);
  snprintf(command, sizeof command, "rm -rf -- %.*s", (int)(strlen(prefix) - 2), prefix);
  CHECK(system(command) == 0);
}

static void refuses_every_way_out_of_the_prefix(void)
{
  static const struct {
    const char* name;
    int fault;
  } CASES[] = {
      {"../x", SCR_ERR_OUTSIDE_PREFIX}, {"/etc/passwd", SCR_ERR_OUTSIDE_PREFIX}, {"../p2/x", SCR_ERR_OUTSIDE_PREFIX},
      {"out/x", SCR_ERR_OUTSIDE_PREFIX}, {"run/up/x", SCR_ERR_OUTSIDE_PREFIX}, {"linkfile", SCR_ERR_OUTSIDE_PREFIX},
      {"nowhere", SCR_ERR_OUTSIDE_PREFIX}, {"loop/x", SCR_ERR_OUTSIDE_PREFIX}, {"nowhere/x", SCR_ERR_OUTSIDE_PREFIX},
      {"/", SCR_ERR_OUTSIDE_PREFIX}, {"", SCR_ERR_BAD_REQUEST}, {"run", SCR_ERR_BAD_REQUEST},
      {".", SCR_ERR_BAD_REQUEST}, {"run/", SCR_ERR_BAD_REQUEST}, {"new/.", SCR_ERR_BAD_REQUEST},
      {"new/x/..", SCR_ERR_BAD_REQUEST}, {".scr/x", SCR_ERR_BAD_REQUEST}, {"mine/x", SCR_ERR_BAD_REQUEST},
      {".scr", SCR_ERR_BAD_REQUEST}, {"run/file/x", SCR_ERR_BAD_REQUEST}, {"latest", SCR_ERR_BAD_REQUEST},
      {"not-utf8-\xff", SCR_ERR_BAD_REQUEST}, {"\xff/x", SCR_ERR_BAD_REQUEST},
  };
  struct fault fault;
  char file[SCR_MAX_FILENAME];
  struct places* places = places_for_output(prefix, cache);
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    for (int again = 0; again < 2; again++) {
      int bad = places_route(places, CASES[i].name, file, &fault);
      if (bad != CASES[i].fault) {
        fprintf(stderr, "'%s' gave %d\n", CASES[i].name, bad);
      }
      CHECK_INT(CASES[i].fault, bad);
    }
  }
  char name[2000];
  memset(name, 'x', sizeof name);
  for (size_t length = 255; length <= 1999; length += 8) {
    name[length] = '\0';
    CHECK_INT(length <= 255 ? SCR_SUCCESS : SCR_ERR_BAD_REQUEST, places_route(places, name, file, &fault));
    name[length] = 'x';
  }
  /* Below a directory that is there, one that is not, and one that was asked for. */
  static const char* const BEFORE[] = {"", "run/", "not-there/", "not-there/"};
  char inside[400];
  name[256] = '\0';
  for (size_t i = 0; i < sizeof BEFORE / sizeof BEFORE[0]; i++) {
    snprintf(inside, sizeof inside, "%s%s/f", BEFORE[i], name);
    CHECK_INT(SCR_ERR_BAD_REQUEST, places_route(places, inside, file, &fault));
    CHECK(strstr(fault.message, "has a component of more than 255 bytes") != NULL);
  }
  json_t* list = places_list(places);
  CHECK_INT(1, json_array_size(list));
  json_decref(list);
  places_free(places);
}

/* Where it is is not known, and that it is outside is not said. */
static void a_directory_that_may_not_be_entered_is_told_as_that(void)
{
  const uid_t alice = 54321;
  struct fault fault;
  char file[SCR_MAX_FILENAME];
  CHECK(mkdir("closed", 0) == 0 && symlink("closed/deep", "linkclosed") == 0 && chmod("..", 0711) == 0);
  int is_root = geteuid() == 0;
  CHECK_INT(0, is_root ? seteuid(alice) : 0); /* root may enter any */
  struct places* places = places_for_output(prefix, cache);
  static const char* const NAMES[] = {"closed/deep/x", "linkclosed/x", "linkclosed"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    CHECK_INT(SCR_ERR_IO, places_route(places, NAMES[i], file, &fault));
    CHECK(strstr(fault.message, NAMES[i]) != NULL && strstr(fault.message, strerror(EACCES)) != NULL);
  }
  CHECK_INT(SCR_ERR_OUTSIDE_PREFIX, places_route(places, "loop/x", file, &fault));
  CHECK(strstr(fault.message, strerror(ELOOP)) != NULL);
  places_free(places);
  CHECK_INT(0, is_root ? seteuid(0) : 0);
  CHECK(rmdir("closed") == 0);
}

static void one_file_has_one_place_by_whatever_name(void)
{
  static const char* const NAMES[] = {"run/new", "./run/../run/new", "latest/new", "run/deep/../new", "../p/run/new",
      "../alias/run/new", "run//new"};
  struct fault fault;
  char first[SCR_MAX_FILENAME];
  char file[SCR_MAX_FILENAME];
  char expected[SCR_MAX_FILENAME];
  struct stat status;
  struct places* places = places_for_output(prefix, cache);
  CHECK_INT(SCR_SUCCESS, places_route(places, NAMES[0], first, &fault));
  snprintf(expected, sizeof expected, "%s/new", cache);
  CHECK_TEXT(expected, first);
  CHECK(stat(cache, &status) == 0 && S_ISDIR(status.st_mode));
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    CHECK_INT(SCR_SUCCESS, places_route(places, NAMES[i], file, &fault));
    CHECK_TEXT(first, file);
  }
  CHECK_INT(SCR_SUCCESS, places_route(places, "run/deep/new", file, &fault));
  snprintf(expected, sizeof expected, "%s/1/new", cache);
  CHECK_TEXT(expected, file);
  write_file(file); /* its directory is there */
  CHECK_INT(SCR_SUCCESS, places_route(places, "inlink", file, &fault));
  CHECK_TEXT("file", strrchr(file, '/') + 1);
  json_t* list = places_list(places);
  CHECK_INT(3, json_array_size(list));
  snprintf(expected, sizeof expected, "%s/run/file", prefix);
  CHECK_TEXT(expected, json_string_value(json_object_get(json_array_get(list, 2), "path")));
  CHECK_TEXT("1/new", json_string_value(json_object_get(json_array_get(list, 1), "name")));
  json_decref(list);
  places_free(places);
}

static void a_directory_that_cannot_be_made_is_an_error_each_time(void)
{
  struct fault fault;
  char file[SCR_MAX_FILENAME];
  char below_a_file[256];
  snprintf(below_a_file, sizeof below_a_file, "%s/run/file/rank.0", prefix);
  struct places* places = places_for_output(prefix, below_a_file);
  CHECK_INT(SCR_ERR_IO, places_route(places, "a", file, &fault));
  CHECK_INT(SCR_ERR_IO, places_route(places, "a", file, &fault));
  CHECK(strstr(fault.message, below_a_file) != NULL);
  places_free(places);
}

static void a_restart_finds_files_by_path_or_by_a_base_name_that_only_one_has(void)
{
  struct fault fault;
  char file[SCR_MAX_FILENAME];
  json_t* files = json_pack("[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]", "path", "x/same", "name", "same", "path", "y/same",
      "name", "1/same", "path", "z/other", "name", "other");
  struct places* places = places_for_restart(prefix, "/c", files);
  json_decref(files);
  CHECK_INT(SCR_SUCCESS, places_route(places, "x/same", file, &fault));
  CHECK_TEXT("/c/same", file);
  CHECK_INT(SCR_SUCCESS, places_route(places, "./q/../y/same", file, &fault));
  CHECK_TEXT("/c/1/same", file);
  CHECK_INT(SCR_SUCCESS, places_route(places, "/elsewhere/other", file, &fault));
  CHECK_TEXT("/c/other", file);
  CHECK_INT(SCR_ERR_NO_SUCH_FILE, places_route(places, "same", file, &fault));
  CHECK(strstr(fault.message, "ambiguous") != NULL);
  CHECK_INT(SCR_ERR_NO_SUCH_FILE, places_route(places, "nothing", file, &fault));
  places_free(places);
  static const char* const BAD[] = {"{}", "[1]", "[{}]", "[{\"path\":\"a\"}]", "[{\"path\":1, \"name\":\"a\"}]"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    json_t* bad = json_loads(BAD[i], 0, NULL);
    CHECK(places_for_restart(prefix, "/c", bad) == NULL);
    json_decref(bad);
  }
}

/* Of this process, so that a busy machine changes little. */
static double cpu_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Printed, not checked. */
static void many_files(int count)
{
  struct fault fault;
  char file[SCR_MAX_FILENAME];
  char name[64];
  struct places* places = places_for_output(prefix, cache);
  double start = cpu_s();
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "run/file-%d", i);
    CHECK_INT(SCR_SUCCESS, places_route(places, name, file, &fault));
  }
  printf("%d new files: %.0f calls per second of CPU\n", count, count / (cpu_s() - start));
  json_t* list = places_list(places);
  CHECK_INT(count, json_array_size(list));
  json_decref(list);
  places_free(places);
}

/* The number of the fault that a process of this user gets. */
static int calling_as(uid_t user)
{
  int status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    struct fault fault = {0};
    if (setuid(user) != 0) {
      _exit(255);
    }
    int descriptor = daemon_connect(0, 1, &fault);
    _exit(descriptor < 0 ? fault.number : SCR_SUCCESS);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* It would tell the application where to write its files. */
static void a_process_of_another_user_is_not_called(void)
{
  const uid_t alice = 54321;
  const uid_t mallory = 54322;
  char directory[] = "/tmp/scr-owner-XXXXXX";
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (geteuid() != 0) {
    return; /* no process can be another user's */
  }
  CHECK(mkdtemp(directory) != NULL && chmod(directory, 0777) == 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/scr.sock", directory);
  CHECK_INT(0, setenv("SCR_SOCKET", address.sun_path, 1));
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_INT(0, seteuid(mallory));
  CHECK_INT(0, bind(listener, (struct sockaddr*)&address, sizeof address));
  CHECK_INT(0, listen(listener, 8)); /* from here on the kernel tells those who connect whose socket it is */
  CHECK_INT(0, chmod(address.sun_path, 0777));
  CHECK_INT(0, seteuid(0));
  CHECK_INT(SCR_SUCCESS, calling_as(mallory));
  CHECK_INT(SCR_ERR_NOT_AUTHORIZED, calling_as(alice));
  CHECK_INT(SCR_SUCCESS, calling_as(0)); /* root may call anybody's */
  close(listener);
  CHECK(unlink(address.sun_path) == 0 && rmdir(directory) == 0);
  unsetenv("SCR_SOCKET");
}

/* Argument "short": without the most files. */
static void init_waits_in_silence_for_half_a_minute_or_as_the_environment_says(void)
{
  static const char* const WRONG[] = {"-1", "1000001", "soon", "1.5", "99999999999999999999"};
  struct fault fault;
  int seconds = 0;
  CHECK_INT(SCR_SUCCESS, launch_notice_seconds(&seconds, &fault));
  CHECK_INT(30, seconds);
  setenv("SCR_INIT_NOTICE_SECONDS", "0", 1);
  CHECK_INT(SCR_SUCCESS, launch_notice_seconds(&seconds, &fault));
  CHECK_INT(0, seconds);
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
    setenv("SCR_INIT_NOTICE_SECONDS", WRONG[i], 1);
    CHECK_INT(SCR_ERR_BAD_CONFIGURATION, launch_notice_seconds(&seconds, &fault));
    CHECK(strstr(fault.message, "SCR_INIT_NOTICE_SECONDS") != NULL && strstr(fault.message, WRONG[i]) != NULL);
  }
  unsetenv("SCR_INIT_NOTICE_SECONDS");
}

int main(int count, char** arguments)
{
  finds_rank_and_size_as_the_clients_of_other_languages_do();
  init_waits_in_silence_for_half_a_minute_or_as_the_environment_says();
  tells_questions_from_settings();
  takes_dots_out();
  names_files_as_the_daemon_does();
  make_prefix();
  refuses_every_way_out_of_the_prefix();
  a_directory_that_may_not_be_entered_is_told_as_that();
  one_file_has_one_place_by_whatever_name();
  a_directory_that_cannot_be_made_is_an_error_each_time();
  a_restart_finds_files_by_path_or_by_a_base_name_that_only_one_has();
  many_files(10);
  many_files(2000);
  if (count < 2 || strcmp(arguments[1], "short") != 0) {
    many_files(20000);
  }
  remove_prefix();
  a_process_of_another_user_is_not_called();
  return 0;
}
