/** How a flush shares what the file system may be given: decisions without clock, thread or message. */
package io.vertxscr.flow.flush;
