/** The leader's events as lines of the log in the prefix directory. */
package io.vertxscr.service.log;
