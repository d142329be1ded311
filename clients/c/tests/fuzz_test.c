/*
 * Whatever a daemon sends, a call returns with a number and the program lives. Method: a daemon that answers well until
 * one call, chosen by the seed, whose answer it breaks: bytes changed, cut off, another length, other JSON, other JSON
 * in a right frame. The connection ends after the broken answer, so that nothing waits for bytes that never come.
 * Arguments: the number of rounds (or "short"), and the seed, 1 if not given.
 */
#include <stdint.h>
#include <unistd.h>

#include "check.h"
#include "fake_daemon.h"
#include "scr.h"

static struct {
  char directory[64];
  uint64_t random;
  int calls_left; /* until the one whose answer is broken */
} world;

static unsigned below(unsigned bound)
{
  world.random ^= world.random << 13;
  world.random ^= world.random >> 7;
  world.random ^= world.random << 17;
  return (unsigned)(world.random % bound);
}

static json_t* any_json(int depth)
{
  switch (below(depth > 3 ? 6 : 9)) {
    case 0: return json_null();
    case 1: return json_true();
    case 2: return json_integer((json_int_t)world.random);
    case 3: return json_integer((json_int_t)below(4) - 1);
    case 4: return json_string("/x");
    case 5: return json_real(1.5);
    case 6: return json_pack("[o, o]", any_json(depth + 1), any_json(depth + 1));
    case 7: return json_pack("{s:o, s:o}", "path", any_json(depth + 1), "name", any_json(depth + 1));
    default: {
      char text[3000];
      size_t length = below(sizeof text - 1);
      memset(text, 'a', length);
      text[length] = '\0';
      return json_string(text);
    }
  }
}

/* Changes or takes away one field, at any depth. */
static void break_json(json_t* object)
{
  const char* keys[32];
  const char* key;
  json_t* value;
  unsigned count = 0;
  json_object_foreach (object, key, value) {
    if (count < 32) {
      keys[count++] = key;
    }
  }
  if (count == 0) {
    json_object_set_new(object, "surprise", any_json(0));
    return;
  }
  key = keys[below(count)];
  value = json_object_get(object, key);
  if (json_is_object(value) && below(4) > 0) {
    break_json(value);
  } else if (below(3) == 0) {
    json_object_del(object, key);
  } else {
    char copy[64];
    snprintf(copy, sizeof copy, "%s", key);
    json_object_set_new(object, copy, any_json(0));
  }
}

static struct fake_answer framed(char* text)
{
  struct fake_answer answer = {.count = strlen(text) + 4, .hangs_up = 1};
  answer.bytes = malloc(answer.count);
  for (int i = 0; i < 4; i++) {
    answer.bytes[i] = (char)(strlen(text) >> (8 * (3 - i)));
  }
  memcpy(answer.bytes + 4, text, strlen(text));
  free(text);
  return answer;
}

static struct fake_answer broken(struct fake_answer good)
{
  good.hangs_up = 1;
  switch (below(6)) {
    case 0: /* bytes changed */
      for (unsigned i = 0; i <= below(4); i++) {
        good.bytes[below((unsigned)good.count)] ^= (char)(1u << below(8));
      }
      return good;
    case 1: /* cut off */
      good.count = below((unsigned)good.count);
      return good;
    case 2: /* another length */
      for (int i = 0; i < 4; i++) {
        good.bytes[i] = (char)below(256);
      }
      return good;
    case 3: /* nothing but noise */
      for (size_t i = 0; i < good.count; i++) {
        good.bytes[i] = (char)below(256);
      }
      return good;
    default: { /* a right frame that says something else */
      json_t* frame = json_loadb(good.bytes + 4, good.count - 4, 0, NULL);
      free(good.bytes);
      for (unsigned i = 0; i <= below(3); i++) {
        break_json(frame);
      }
      char* text = json_dumps(frame, 0);
      json_decref(frame);
      return framed(text);
    }
  }
}

static struct fake_answer script(const char* verb, json_t* call, void* context)
{
  (void)context;
  struct fake_answer good = below(5) == 0 && world.calls_left <= 0
      ? fake_failure(call, (int)below(40) - 5, "no") : fake_message(call, fake_reply(verb, call, world.directory));
  return world.calls_left-- > 0 ? good : broken(good);
}

static int is_outcome(int number)
{
  return number >= SCR_SUCCESS && number <= SCR_ERR_TAKEN_OVER;
}

static void live(void)
{
  char name[SCR_MAX_FILENAME];
  int flag;
  if (SCR_Init() != SCR_SUCCESS) {
    return;
  }
  CHECK(is_outcome(SCR_Need_checkpoint(&flag)));
  CHECK(is_outcome(SCR_Have_restart(&flag, name)));
  if (SCR_Start_restart(name) == SCR_SUCCESS) {
    CHECK(is_outcome(SCR_Route_file("other", name)));
    CHECK(is_outcome(SCR_Complete_restart(1)));
  }
  if (SCR_Start_output("a", SCR_FLAG_CHECKPOINT) == SCR_SUCCESS) {
    CHECK(is_outcome(SCR_Route_file("/tmp/a/x", name)));
    CHECK(is_outcome(SCR_Complete_output(1)));
  }
  CHECK(is_outcome(SCR_Should_exit(&flag)));
  free((char*)SCR_Config("SCR_FLUSH"));
  CHECK(is_outcome(SCR_Delete("a")));
  CHECK(is_outcome(SCR_Finalize()));
}

int main(int count, char** arguments)
{
  int rounds = count < 2 ? 3000 : strcmp(arguments[1], "short") == 0 ? 120 : atoi(arguments[1]);
  uint64_t seed = count < 3 ? 1 : strtoull(arguments[2], NULL, 10);
  int lives = 0;
  char socket[128];
  strcpy(world.directory, "/tmp/scr-fuzz-XXXXXX");
  CHECK(mkdtemp(world.directory) != NULL);
  snprintf(socket, sizeof socket, "%s/s", world.directory);
  setenv("SCR_SOCKET", socket, 1);
  setenv("SCR_RANK", "0", 1);
  setenv("SCR_RANKS", "1", 1);
  setenv("SCR_PREFIX", "/tmp", 1);
  printf("fuzz_test %d %llu\n", rounds, (unsigned long long)seed);
  CHECK(freopen("/dev/null", "w", stderr) != NULL); /* thousands of errors are expected */
  world.random = seed * 0x9e3779b97f4a7c15u + 1;
  struct fake_daemon* daemon = fake_start(socket, script, NULL);
  for (int round = 0; round < rounds; round++) {
    world.calls_left = (int)below(14);
    live();
    SCR_Complete_output(1);
    SCR_Complete_restart(1);
    while (SCR_Finalize() != SCR_ERR_WRONG_STATE) {
      /* until there is no run any more */
    }
    lives += world.calls_left < 0;
  }
  fake_stop(daemon);
  CHECK(lives > rounds / 2); /* four fifths; else a run stayed open, and the rounds after it tried nothing */
  snprintf(socket, sizeof socket, "rm -rf -- %s", world.directory);
  return system(socket) == 0 ? 0 : 1;
}
