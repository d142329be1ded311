/* Connections to sockets of this host. */
#ifndef SCR_DIAL_H
#define SCR_DIAL_H

#include <sys/socket.h>

#include "fault.h"

/* How long a daemon may take no connection: as long as one may be silent (wire.h). */
#define DIAL_MS 30000

/*
 * A descriptor that is connected, which blocks; -1 with errno. That is ETIMEDOUT where somebody listens and takes no
 * connection for so long, as a daemon that is stopped does once those that wait are many. Signals do not prolong it.
 */
int dial(const struct sockaddr* address, socklen_t bytes, int timeout_ms);

/* Notes what errno says of a daemon's socket: NODE_LOST. Returns -1. */
int dial_failed(const char* where, struct fault* fault);

#endif
