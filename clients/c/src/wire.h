/*
 * Calls over the application socket of a node (docs/messages.md, "Frames of the application socket"):
 *
 *   +----------------+---------------------------+
 *   | 4 bytes length | length bytes of JSON      |   length is big-endian, 1 to WIRE_MAX_BYTES
 *   +----------------+---------------------------+
 *
 * One call at a time; not for several threads at once.
 */
#ifndef SCR_WIRE_H
#define SCR_WIRE_H

#include <jansson.h>

#include "fault.h"

/* Largest frame in either direction. */
#define WIRE_MAX_BYTES (16 << 20)

/*
 * A call may wait for other ranks for hours, so only the daemon's silence ends it: after each tick without a byte the
 * daemon is pinged, which it answers at once; after so many ticks in a row it is given up. Ticks, because a process that
 * was stopped itself has missed one of them at most.
 */
#define WIRE_TICK_MS 7500
#define WIRE_SILENT_TICKS 4

/*
 * While a call waits long, the daemon may be asked what for, beside it: after first_ms, then after four times as long,
 * and so on.
 */
struct wire_notice {
  int first_ms;                /* 0: never */
  void (*tell)(json_t* reply); /* gets what the daemon says, while the call still waits */
  long long begin_ms;          /* of the call */
  long long next_ms;           /* when to ask; 0: not in this call */
};

struct wire {
  int idle;                 /* no connection, and none needed: SCR is switched off (idle.h) */
  int descriptor;           /* -1: none */
  unsigned long long calls; /* made so far: names the next one's reply address */
  unsigned char* frame;     /* what is received; grows with the largest frame */
  size_t room;
  struct fault end;         /* why there is no connection any more; number 0 while there is one */
  int tick_ms;              /* WIRE_TICK_MS; tests have less time */
  int quiet;                /* ticks since the daemon has sent or taken a byte */
  const char* verb;         /* of the call under way */
  char node[256];           /* who has answered; empty: nobody has said */
  struct wire_notice notice; /* of the calls from now on */
};

/* Takes over a connected descriptor. */
void wire_open(struct wire* wire, int descriptor);

/* Ends the connection; doing it twice does nothing. */
void wire_close(struct wire* wire);

/*
 * Sends a call and waits for its answer, as long as it takes: the node owns all waits and always answers. A daemon that
 * is silent for WIRE_SILENT_TICKS, pings included, is lost: it is stopped, or hangs.
 *
 * body: is released. reply: receives a new object on success.
 * Returns SCR_SUCCESS or the fault's number; after the end of the connection, and after anything that is no frame of
 * ours, NODE_LOST now and for all later calls.
 */
int wire_call(struct wire* wire, const char* verb, json_t* body, json_t** reply, struct fault* fault);

#endif
