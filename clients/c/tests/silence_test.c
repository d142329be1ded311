/* A daemon that is silent is given up by name; one that only takes long is not. The limit is short here. */
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

int main(void)
{
  a_call_may_take_long_while_the_daemon_answers_pings();
  a_silent_daemon_is_given_up_with_its_node_and_the_call();
  a_daemon_that_takes_no_bytes_is_given_up_too();
  return 0;
}
