/*
 * A daemon that is silent is given up by name; one that only takes long is not, and is asked what for. The limit is
 * short here.
 */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "wire.h"

#define TICK_MS 30

/* The daemon's end, and how many pings it answers before the call. */
struct peer {
  int descriptor;
  int pongs;
  int answers;
};

static void read_frame(int descriptor, char* text, size_t room)
{
  unsigned char length[4];
  CHECK(recv(descriptor, length, 4, MSG_WAITALL) == 4);
  size_t count = (size_t)length[2] << 8 | length[3];
  CHECK(count < room);
  CHECK(recv(descriptor, text, count, MSG_WAITALL) == (ssize_t)count);
  text[count] = '\0';
}

static void write_frame(int descriptor, const char* text)
{
  unsigned char length[4] = {0, 0, 0, (unsigned char)strlen(text)};
  CHECK(send(descriptor, length, 4, 0) == 4);
  CHECK(send(descriptor, text, strlen(text), 0) == (ssize_t)strlen(text));
}

static struct wire open_to(struct peer* peer)
{
  int ends[2];
  struct wire wire;
  CHECK_INT(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  wire_open(&wire, ends[0]);
  wire.tick_ms = TICK_MS;
  peer->descriptor = ends[1];
  return wire;
}

/* Lets the client wait for many ticks, each of which asks whether it is there. */
static void* serve(void* argument)
{
  struct peer* peer = argument;
  char text[1024];
  read_frame(peer->descriptor, text, sizeof text);
  CHECK(strstr(text, "scr._.init") != NULL || strstr(text, "scr._.finalize") != NULL);
  int is_init = strstr(text, "init") != NULL;
  for (int i = 0; i < peer->pongs; i++) {
    read_frame(peer->descriptor, text, sizeof text);
    CHECK_TEXT("{\"type\":\"ping\"}", text);
    write_frame(peer->descriptor, "{\"type\":\"pong\"}");
  }
  if (peer->answers) {
    write_frame(peer->descriptor, is_init
        ? "{\"type\":\"message\",\"address\":\"1\",\"body\":{\"node\":\"n7\"}}"
        : "{\"type\":\"message\",\"address\":\"2\",\"body\":{}}");
  }
  return NULL;
}

static int call(struct wire* wire, struct peer* peer, const char* verb, struct fault* fault)
{
  pthread_t thread;
  json_t* reply = NULL;
  CHECK_INT(0, pthread_create(&thread, NULL, serve, peer));
  int bad = wire_call(wire, verb, json_object(), &reply, fault);
  CHECK_INT(0, pthread_join(thread, NULL));
  CHECK((bad == SCR_SUCCESS) == (reply != NULL));
  json_decref(reply);
  return bad;
}

static void a_call_may_take_long_while_the_daemon_answers_pings(void)
{
  struct peer peer = {.pongs = 3 * WIRE_SILENT_TICKS, .answers = 1};
  struct fault fault;
  struct wire wire = open_to(&peer);
  CHECK_INT(SCR_SUCCESS, call(&wire, &peer, "init", &fault));
  peer.pongs = 0;
  CHECK_INT(SCR_SUCCESS, call(&wire, &peer, "finalize", &fault));
  wire_close(&wire);
  close(peer.descriptor);
}

static void a_silent_daemon_is_given_up_with_its_node_and_the_call(void)
{
  struct peer peer = {.pongs = 2, .answers = 1};
  struct fault fault;
  struct wire wire = open_to(&peer);
  CHECK_INT(SCR_SUCCESS, call(&wire, &peer, "init", &fault));
  peer.answers = 0;
  CHECK_INT(SCR_ERR_NODE_LOST, call(&wire, &peer, "finalize", &fault));
  CHECK(strstr(fault.message, "node n7") != NULL && strstr(fault.message, "silent") != NULL);
  CHECK(strstr(fault.message, "finalize") != NULL);
  json_t* reply = NULL;
  CHECK_INT(SCR_ERR_NODE_LOST, wire_call(&wire, "init", json_object(), &reply, &fault));
  CHECK(strstr(fault.message, "silent") != NULL);
  wire_close(&wire);
  char text[1024];
  for (int i = 0; i < WIRE_SILENT_TICKS - 1; i++) {
    read_frame(peer.descriptor, text, sizeof text);
    CHECK_TEXT("{\"type\":\"ping\"}", text);
  }
  CHECK_INT(0, recv(peer.descriptor, text, sizeof text, 0));
  close(peer.descriptor);
}

static void a_daemon_that_takes_no_bytes_is_given_up_too(void)
{
  struct peer peer = {0};
  struct fault fault;
  json_t* reply = NULL;
  struct wire wire = open_to(&peer);
  size_t count = 8 << 20;
  char* text = malloc(count + 1);
  memset(text, 'x', count);
  text[count] = '\0';
  CHECK_INT(SCR_ERR_NODE_LOST,
      wire_call(&wire, "complete-output", json_pack("{s:s}", "text", text), &reply, &fault));
  CHECK(strstr(fault.message, "complete-output") != NULL && strstr(fault.message, "silent") != NULL);
  free(text);
  wire_close(&wire);
  close(peer.descriptor);
}

/* ---- what a call waits for ---- */

static char told[256];
static int times_told;

static void tell(json_t* reply)
{
  times_told++;
  snprintf(told, sizeof told, "%s", json_string_value(json_object_get(reply, "told")));
}

/* The next frame that is no ping, which it answers. */
static void read_call(struct peer* peer, char* text, size_t room)
{
  read_frame(peer->descriptor, text, room);
  while (strcmp(text, "{\"type\":\"ping\"}") == 0) {
    write_frame(peer->descriptor, "{\"type\":\"pong\"}");
    read_frame(peer->descriptor, text, room);
  }
}

/* Reads a question beside the call, and says where its answer goes. */
static json_t* read_question(struct peer* peer)
{
  char text[1024];
  read_call(peer, text, sizeof text);
  json_t* question = json_loads(text, 0, NULL);
  CHECK_TEXT("send", json_string_value(json_object_get(question, "type")));
  CHECK_TEXT("scr._.init-wait", json_string_value(json_object_get(question, "address")));
  CHECK(json_is_integer(json_object_get(json_object_get(question, "body"), "waitedSeconds")));
  CHECK_INT(1, json_object_size(json_object_get(question, "body")));
  return question;
}

static void answer(struct peer* peer, json_t* question, const char* frame)
{
  char text[256];
  snprintf(text, sizeof text, frame, json_string_value(json_object_get(question, "replyAddress")));
  json_decref(question);
  write_frame(peer->descriptor, text);
}

/* Answers the first question, knows nothing of the second, and answers the third when the call has been answered. */
static void* serve_questions(void* argument)
{
  struct peer* peer = argument;
  char text[1024];
  read_call(peer, text, sizeof text);
  answer(peer, read_question(peer), "{\"type\":\"message\",\"address\":\"%s\",\"body\":{\"told\":\"rank 3\"}}");
  answer(peer, read_question(peer),
      "{\"type\":\"err\",\"address\":\"%s\",\"failureCode\":21,\"message\":\"access_denied\"}");
  json_t* third = read_question(peer);
  write_frame(peer->descriptor, "{\"type\":\"message\",\"address\":\"1\",\"body\":{\"node\":\"n7\"}}");
  do {
    read_call(peer, text, sizeof text);
  } while (strstr(text, "scr._.init-wait") != NULL); /* asked again before that was read */
  CHECK(strstr(text, "scr._.finalize") != NULL);
  answer(peer, third, "{\"type\":\"message\",\"address\":\"%s\",\"body\":{\"told\":\"late\"}}");
  write_frame(peer->descriptor, "{\"type\":\"message\",\"address\":\"2\",\"body\":{}}");
  return NULL;
}

static void a_call_that_waits_long_is_told_what_for(void)
{
  struct peer peer = {0};
  struct fault fault;
  struct wire wire = open_to(&peer);
  pthread_t thread;
  json_t* reply = NULL;
  wire.tick_ms = WIRE_TICK_MS;
  wire.notice = (struct wire_notice){.first_ms = 1, .tell = tell};
  CHECK_INT(0, pthread_create(&thread, NULL, serve_questions, &peer));
  CHECK_INT(SCR_SUCCESS, wire_call(&wire, "init", json_object(), &reply, &fault));
  CHECK_TEXT("n7", json_string_value(json_object_get(reply, "node")));
  json_decref(reply);
  CHECK_INT(1, times_told);
  CHECK_TEXT("rank 3", told);
  wire.notice = (struct wire_notice){0};
  CHECK_INT(SCR_SUCCESS, wire_call(&wire, "finalize", json_object(), &reply, &fault));
  json_decref(reply);
  CHECK_INT(1, times_told);
  CHECK_INT(0, pthread_join(thread, NULL));
  wire_close(&wire);
  close(peer.descriptor);
}

int main(void)
{
  a_call_may_take_long_while_the_daemon_answers_pings();
  a_silent_daemon_is_given_up_with_its_node_and_the_call();
  a_daemon_that_takes_no_bytes_is_given_up_too();
  a_call_that_waits_long_is_told_what_for();
  return 0;
}
