/** Shares of the file system's limits in a flush: decisions without clock, thread or message. */
package io.vertxscr.flow.flush;
