/* A daemon over TCP, where it listens on the loopback address too (SCR_BRIDGE_TCP). */
#ifndef SCR_TCP_H
#define SCR_TCP_H

#include "fault.h"

/* Whether an entry of SCR_SOCKET names a token file, and not a socket. */
int tcp_is_meant(const char* path);

/*
 * Connects to the daemon that has written this token file (docs/messages.md), and shows it the token. A token that is
 * not the daemon's is refused in the answer to the first call.
 *
 * Returns the descriptor, closed on exec; or -1 after noting a fault: NODE_LOST where there is no such file or nobody
 * listens, BAD_CONFIGURATION where the file is none of a daemon, NOT_AUTHORIZED where it is another user's.
 */
int tcp_connect(const char* path, struct fault* fault);

#endif
