#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "idle.h"

#define LENGTH_BYTES 4
#define FIRST_ROOM (16 * 1024)
#define NOTICE_GROWTH 4

/* Answers to questions beside a call go there; those to calls have plain numbers. */
#define NOTICE "notice-"

void wire_open(struct wire* wire, int descriptor)
{
  *wire = (struct wire){.descriptor = descriptor, .tick_ms = WIRE_TICK_MS};
}

void wire_close(struct wire* wire)
{
  if (wire->descriptor >= 0) {
    close(wire->descriptor);
  }
  free(wire->frame);
  wire->descriptor = -1;
  wire->frame = NULL;
  wire->room = 0;
}

/* The connection is of no use any more: this call and all later ones hear why. */
static int lost(struct wire* wire, const char* why, struct fault* fault)
{
  fault_set(&wire->end, SCR_ERR_NODE_LOST, "the connection to the node's daemon %s", why);
  wire_close(wire);
  *fault = wire->end;
  return fault->number;
}

static int lost_errno(struct wire* wire, const char* what, struct fault* fault)
{
  struct fault cause;
  fault_errno(&cause, "failed, %s", what);
  return lost(wire, cause.message, fault);
}

static int silent(struct wire* wire, struct fault* fault)
{
  char why[512];
  const char* of = wire->node[0] == '\0' ? "" : " of node ";
  snprintf(why, sizeof why, "was given up: the daemon%s%s has been silent for %d s while %s waited for its answer, and "
      "answers no ping; it is stopped or hangs", of, wire->node, wire->tick_ms * WIRE_SILENT_TICKS / 1000, wire->verb);
  return lost(wire, why, fault);
}

static long long now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * Waits a tick until the socket is ready, not so long where a notice is due before. 1: it is; 0: it is not; -1: errno
 * says why. Signals do not prolong it.
 */
static int ready_within_tick(const struct wire* wire, short events)
{
  long long end = now_ms() + wire->tick_ms;
  if (events == POLLIN && wire->notice.next_ms != 0 && wire->notice.next_ms < end) {
    end = wire->notice.next_ms;
  }
  for (;;) {
    long long left = end - now_ms();
    struct pollfd socket_state = {.fd = wire->descriptor, .events = events};
    int found = poll(&socket_state, 1, left > 0 ? (int)left : 0);
    if (found >= 0 || errno != EINTR) {
      return found;
    }
  }
}

static int ping(struct wire* wire, struct fault* fault);
static int ask_what_for(struct wire* wire, struct fault* fault);

/* Waits until the socket takes bytes (POLLOUT) or has some (POLLIN), for which it pings; gives a silent daemon up. */
static int await_socket(struct wire* wire, short events, struct fault* fault)
{
  bool receives = events == POLLIN;
  for (;;) {
    int found = ready_within_tick(wire, events);
    if (found != 0) {
      return found > 0 ? SCR_SUCCESS : lost_errno(wire, receives ? "waiting to receive" : "waiting to send", fault);
    }
    if (receives && wire->notice.next_ms != 0 && now_ms() >= wire->notice.next_ms) {
      if (ask_what_for(wire, fault) != SCR_SUCCESS) {
        return fault->number;
      }
      continue;
    }
    if (++wire->quiet >= WIRE_SILENT_TICKS) {
      return silent(wire, fault);
    }
    if (receives && ping(wire, fault) != SCR_SUCCESS) {
      return fault->number;
    }
  }
}

static void put_length(char* frame, size_t count)
{
  for (int i = 0; i < LENGTH_BYTES; i++) {
    frame[i] = (char)(count >> (8 * (LENGTH_BYTES - 1 - i)));
  }
}

static int send_all(struct wire* wire, const char* bytes, size_t count, struct fault* fault)
{
  while (count > 0) {
    /* Without a signal where the daemon is gone: those belong to the program. */
    ssize_t sent = send(wire->descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes += sent;
      count -= (size_t)sent;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (await_socket(wire, POLLOUT, fault) != SCR_SUCCESS) {
        return fault->number;
      }
      wire->quiet = 0;
    } else if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      return SCR_SUCCESS; /* who receives gets what the daemon has said before, maybe why, and then the end */
    } else if (sent < 0 && errno != EINTR) {
      return lost_errno(wire, "sending", fault);
    }
  }
  return SCR_SUCCESS;
}

/* Sends a small frame beside the call; does nothing where the socket takes no byte, as it has taken earlier ones. */
static int send_beside(struct wire* wire, const char* frame, size_t count, struct fault* fault)
{
  ssize_t sent = send(wire->descriptor, frame, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? send_all(wire, frame + sent, count - (size_t)sent, fault) : SCR_SUCCESS;
}

/* Asks the daemon for a sign of life. */
static int ping(struct wire* wire, struct fault* fault)
{
  static const char FRAME[] = "\0\0\0\017{\"type\":\"ping\"}";
  return send_beside(wire, FRAME, sizeof FRAME - 1, fault);
}

/* Asks the daemon what the call waits for. */
static int ask_what_for(struct wire* wire, struct fault* fault)
{
  char frame[256];
  long long waited_ms = now_ms() - wire->notice.begin_ms;
  int count = snprintf(frame + LENGTH_BYTES, sizeof frame - LENGTH_BYTES,
      "{\"type\":\"send\",\"address\":\"scr._.init-wait\",\"replyAddress\":\"" NOTICE "%lld\","
      "\"body\":{\"waitedSeconds\":%lld}}", waited_ms, waited_ms / 1000);
  put_length(frame, (size_t)count);
  wire->notice.next_ms = wire->notice.begin_ms + NOTICE_GROWTH * waited_ms;
  return send_beside(wire, frame, LENGTH_BYTES + (size_t)count, fault);
}

static int receive_all(struct wire* wire, unsigned char* bytes, size_t count, struct fault* fault)
{
  while (count > 0) {
    if (await_socket(wire, POLLIN, fault) != SCR_SUCCESS) {
      return fault->number;
    }
    ssize_t received = recv(wire->descriptor, bytes, count, 0);
    if (received == 0 || (received < 0 && errno == ECONNRESET)) {
      return lost(wire, "ended: the daemon stopped or died", fault);
    }
    if (received < 0 && errno != EINTR) {
      return lost_errno(wire, "receiving", fault);
    }
    if (received > 0) {
      wire->quiet = 0;
      bytes += received;
      count -= (size_t)received;
    }
  }
  return SCR_SUCCESS;
}

/* Reads one frame; the object is the caller's. */
static int receive_frame(struct wire* wire, json_t** frame, struct fault* fault)
{
  unsigned char length[LENGTH_BYTES];
  if (receive_all(wire, length, sizeof length, fault) != SCR_SUCCESS) {
    return fault->number;
  }
  uint32_t bytes = (uint32_t)length[0] << 24 | (uint32_t)length[1] << 16 | (uint32_t)length[2] << 8 | length[3];
  char why[256];
  if (bytes < 1 || bytes > WIRE_MAX_BYTES) {
    snprintf(why, sizeof why, "carried a frame of %" PRIu32 " bytes", bytes);
    return lost(wire, why, fault);
  }
  if (bytes > wire->room) {
    size_t room = bytes > FIRST_ROOM ? bytes : FIRST_ROOM;
    unsigned char* larger = realloc(wire->frame, room);
    if (larger == NULL) {
      return lost(wire, "was closed: out of memory", fault);
    }
    wire->frame = larger;
    wire->room = room;
  }
  if (receive_all(wire, wire->frame, bytes, fault) != SCR_SUCCESS) {
    return fault->number;
  }
  json_error_t error;
  *frame = json_loadb((const char*)wire->frame, bytes, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(*frame)) {
    json_decref(*frame);
    snprintf(why, sizeof why, "carried a frame that is not a JSON object: %s", error.text);
    return lost(wire, why, fault);
  }
  return SCR_SUCCESS;
}

static int is_pong(json_t* frame)
{
  const char* type = json_string_value(json_object_get(frame, "type"));
  return type != NULL && strcmp(type, "pong") == 0;
}

/* Whether a frame answers a question beside a call, maybe an earlier one, or refuses it, as an earlier daemon does. */
static int is_beside(json_t* frame)
{
  const char* address = json_string_value(json_object_get(frame, "address"));
  return address != NULL && strncmp(address, NOTICE, sizeof NOTICE - 1) == 0;
}

static void tell(const struct wire* wire, json_t* frame)
{
  json_t* body = json_object_get(frame, "body");
  if (is_beside(frame) && json_is_object(body) && wire->notice.next_ms != 0) {
    wire->notice.tell(body);
  }
}

/* Reads the next frame that is the answer to a call; the object is the caller's. */
static int receive_answer(struct wire* wire, json_t** frame, struct fault* fault)
{
  int bad = receive_frame(wire, frame, fault);
  while (bad == SCR_SUCCESS && (is_pong(*frame) || is_beside(*frame))) {
    tell(wire, *frame);
    json_decref(*frame);
    *frame = NULL;
    bad = receive_frame(wire, frame, fault);
  }
  return bad;
}

/* Most answers do not say whose they are; the answer to init does. */
static void note_node(struct wire* wire, json_t* body)
{
  const char* node = json_string_value(json_object_get(body, "node"));
  if (node != NULL) {
    snprintf(wire->node, sizeof wire->node, "%s", node);
  }
}

/* The body of an answer, or the fault that it says. */
static int open_answer(struct wire* wire, json_t* frame, const char* reply_address, json_t** reply,
    struct fault* fault)
{
  const char* type = json_string_value(json_object_get(frame, "type"));
  const char* address = json_string_value(json_object_get(frame, "address"));
  if (type != NULL && strcmp(type, "err") == 0) {
    json_t* code = json_object_get(frame, "failureCode");
    json_int_t number = json_is_integer(code) ? json_integer_value(code) : SCR_ERR_INTERNAL;
    const char* message = json_string_value(json_object_get(frame, "message"));
    fault_set(fault, fault_known(number), "%s", message == NULL ? "the daemon gave no reason" : message);
    if (address == NULL) {
      wire->end = *fault; /* it belongs to no call: the daemon closes the connection */
      wire_close(wire);
      return fault->number;
    }
  }
  if (type == NULL || address == NULL || strcmp(address, reply_address) != 0) {
    return lost(wire, "carried an answer to a question that nobody asked", fault);
  }
  if (strcmp(type, "err") == 0) {
    return fault->number;
  }
  json_t* body = json_object_get(frame, "body");
  if (strcmp(type, "message") != 0 || !json_is_object(body)) {
    return lost(wire, "carried a frame that is neither an answer nor a failure", fault);
  }
  note_node(wire, body);
  *reply = json_incref(body);
  return SCR_SUCCESS;
}

/* Length and text in one piece, so that they travel in one packet; the caller frees it. NULL: out of memory. */
static char* encode(json_t* frame, size_t* bytes)
{
  size_t count = json_dumpb(frame, NULL, 0, JSON_COMPACT);
  char* text = count == 0 ? NULL : malloc(LENGTH_BYTES + count);
  if (text != NULL) {
    json_dumpb(frame, text + LENGTH_BYTES, count, JSON_COMPACT);
    put_length(text, count);
  }
  *bytes = count;
  return text;
}

int wire_call(struct wire* wire, const char* verb, json_t* body, json_t** reply, struct fault* fault)
{
  *reply = NULL;
  if (wire->idle) {
    return idle_call(verb, body, reply, fault);
  }
  if (wire->end.number != SCR_SUCCESS) {
    json_decref(body);
    *fault = wire->end;
    return fault->number;
  }
  wire->verb = verb;
  wire->quiet = 0;
  wire->notice.begin_ms = now_ms();
  wire->notice.next_ms = wire->notice.first_ms == 0 ? 0 : wire->notice.begin_ms + wire->notice.first_ms;
  char address[64];
  char reply_address[32];
  snprintf(address, sizeof address, "scr._.%s", verb);
  snprintf(reply_address, sizeof reply_address, "%llu", ++wire->calls);
  json_t* frame = json_pack("{s:s, s:s, s:s, s:o}", "type", "send", "address", address, "replyAddress", reply_address,
      "body", body);
  size_t bytes = 0;
  char* text = frame == NULL ? NULL : encode(frame, &bytes);
  json_decref(frame);
  if (text == NULL) {
    return fault_set(fault, SCR_ERR_INTERNAL, "out of memory");
  }
  if (bytes > WIRE_MAX_BYTES) {
    free(text);
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "the message has %zu bytes, at most %d are possible", bytes,
        WIRE_MAX_BYTES);
  }
  int bad = send_all(wire, text, LENGTH_BYTES + bytes, fault);
  free(text);
  json_t* answer = NULL;
  if (bad == SCR_SUCCESS) {
    bad = receive_answer(wire, &answer, fault);
  }
  if (bad == SCR_SUCCESS) {
    bad = open_answer(wire, answer, reply_address, reply, fault);
    json_decref(answer);
  }
  return bad;
}
