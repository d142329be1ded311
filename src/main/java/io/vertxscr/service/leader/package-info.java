/** What the oldest node does for all: gathers, restores, flushes. */
package io.vertxscr.service.leader;
