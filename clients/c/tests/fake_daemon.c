#include "fake_daemon.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

struct fake_daemon {
  int listener;
  atomic_int connection;
  pthread_t thread;
  char path[108];
  fake_script script;
  void* context;
};

static int fill(int descriptor, char* bytes, size_t count)
{
  while (count > 0) {
    ssize_t received = recv(descriptor, bytes, count, 0);
    if (received <= 0) {
      return 0;
    }
    bytes += received;
    count -= (size_t)received;
  }
  return 1;
}

static json_t* read_call(int descriptor)
{
  unsigned char length[4];
  if (!fill(descriptor, (char*)length, 4)) {
    return NULL;
  }
  size_t count = (size_t)length[0] << 24 | (size_t)length[1] << 16 | (size_t)length[2] << 8 | length[3];
  char* text = malloc(count);
  json_t* call = NULL;
  if (fill(descriptor, text, count)) {
    call = json_loadb(text, count, 0, NULL);
    CHECK(json_is_object(call));
  }
  free(text);
  return call;
}

static struct fake_answer framed(json_t* frame)
{
  char* text = json_dumps(frame, JSON_COMPACT);
  struct fake_answer answer = {.count = strlen(text) + 4};
  answer.bytes = malloc(answer.count);
  for (int i = 0; i < 4; i++) {
    answer.bytes[i] = (char)(strlen(text) >> (8 * (3 - i)));
  }
  memcpy(answer.bytes + 4, text, strlen(text));
  free(text);
  json_decref(frame);
  return answer;
}

static void serve(struct fake_daemon* daemon, int descriptor)
{
  json_t* call;
  int open = 1;
  while (open && (call = read_call(descriptor)) != NULL) {
    const char* type = json_string_value(json_object_get(call, "type"));
    const char* address = json_string_value(json_object_get(call, "address"));
    if (type != NULL && strcmp(type, "ping") == 0) {   /* valgrind is slow */
      struct fake_answer pong = framed(json_pack("{s:s}", "type", "pong"));
      open = send(descriptor, pong.bytes, pong.count, MSG_NOSIGNAL) == (ssize_t)pong.count;
      free(pong.bytes);
      json_decref(call);
      continue;
    }
    CHECK(address != NULL && strncmp(address, "scr._.", 6) == 0);
    struct fake_answer answer = daemon->script(address + 6, call, daemon->context);
    if (answer.count > 0) {
      open = send(descriptor, answer.bytes, answer.count, MSG_NOSIGNAL) == (ssize_t)answer.count;
    }
    open = open && !answer.hangs_up;
    free(answer.bytes);
    json_decref(call);
  }
}

static void* run(void* argument)
{
  struct fake_daemon* daemon = argument;
  int descriptor;
  while ((descriptor = accept(daemon->listener, NULL, NULL)) >= 0) {
    atomic_store(&daemon->connection, descriptor);
    serve(daemon, descriptor);
    atomic_store(&daemon->connection, -1);
    close(descriptor);
  }
  return NULL;
}

struct fake_daemon* fake_start(const char* path, fake_script script, void* context)
{
  struct fake_daemon* daemon = calloc(1, sizeof *daemon);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  CHECK(daemon != NULL && strlen(path) < sizeof address.sun_path);
  strcpy(address.sun_path, path);
  strcpy(daemon->path, path);
  daemon->script = script;
  daemon->context = context;
  atomic_init(&daemon->connection, -1);
  daemon->listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(path);
  CHECK(bind(daemon->listener, (struct sockaddr*)&address, sizeof address) == 0);
  CHECK(listen(daemon->listener, 8) == 0);
  CHECK(pthread_create(&daemon->thread, NULL, run, daemon) == 0);
  return daemon;
}

void fake_stop(struct fake_daemon* daemon)
{
  shutdown(daemon->listener, SHUT_RDWR);
  int descriptor = atomic_load(&daemon->connection);
  if (descriptor >= 0) {
    shutdown(descriptor, SHUT_RDWR);
  }
  pthread_join(daemon->thread, NULL);
  close(daemon->listener);
  unlink(daemon->path);
  free(daemon);
}

struct fake_answer fake_message(json_t* call, json_t* body)
{
  return framed(json_pack("{s:s, s:O, s:o}", "type", "message", "address", json_object_get(call, "replyAddress"),
      "body", body));
}

struct fake_answer fake_failure(json_t* call, int number, const char* message)
{
  return framed(json_pack("{s:s, s:O, s:i, s:s, s:s}", "type", "err", "address",
      json_object_get(call, "replyAddress"), "failureCode", number, "failureType", "RECIPIENT_FAILURE", "message",
      message));
}

json_t* fake_reply(const char* verb, json_t* call, const char* directory)
{
  json_t* body = json_object_get(call, "body");
  if (strcmp(verb, "init") == 0) {
    return json_pack("{s:I, s:s, s:i, s:[s]}", "run", (json_int_t)7, "node", "n1", "version", 1, "remarks",
        "what the user must know");
  }
  if (strcmp(verb, "have-restart") == 0) {
    return json_pack("{s:b, s:i, s:s}", "available", 1, "dataset", 4, "name", "before");
  }
  if (strcmp(verb, "start-restart") == 0) {
    return json_pack("{s:i, s:s, s:s, s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}", "dataset", 4, "name", "before",
        "directory", directory, "files", "path", "x/same", "name", "same", "path", "y/same", "name", "1/same", "path",
        "z/other", "name", "other");
  }
  if (strcmp(verb, "start-output") == 0) {
    return json_pack("{s:i, s:s, s:s, s:i}", "dataset", 5, "name", "a", "directory", directory, "naming", 1);
  }
  if (strcmp(verb, "route") == 0) {
    return json_pack("{s:s+}", "file", "/routed/", json_string_value(json_object_get(body, "name")));
  }
  if (strcmp(verb, "config") == 0) {
    return json_pack("{s:s}", "value", "10");
  }
  if (strcmp(verb, "need-checkpoint") == 0) {
    return json_pack("{s:b}", "need", 1);
  }
  if (strcmp(verb, "should-exit") == 0) {
    return json_pack("{s:b, s:s}", "exit", 1, "reason", "because");
  }
  if (strcmp(verb, "flush-test") == 0 || strcmp(verb, "flush-wait") == 0) {
    return json_pack("{s:b, s:b}", "flushed", 1, "wanted", 0);
  }
  if (strcmp(verb, "complete-output") == 0 || strcmp(verb, "complete-restart") == 0) {
    return json_pack("{s:i, s:s}", "dataset", 5, "name", "a");
  }
  return json_object();
}
