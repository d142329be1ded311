/* Which socket the daemon of this node listens on. */
#ifndef SCR_DAEMON_H
#define SCR_DAEMON_H

#include <sys/un.h>

#include "fault.h"

/*
 * Connects to the daemon: at SCR_SOCKET (of several, separated by colons, at entry rank * entries / ranks; a name that
 * ends in .tcp is a token file, tcp.h), else at the one socket below the control directory of this user and job that
 * somebody listens on.
 *
 * Returns the descriptor, closed on exec; or -1 after noting a fault: NODE_LOST where nobody listens, BAD_CONFIGURATION
 * where several do or a path is too long, NOT_AUTHORIZED where the listener is another user's.
 */
int daemon_connect(int rank, int ranks, struct fault* fault);

#endif
