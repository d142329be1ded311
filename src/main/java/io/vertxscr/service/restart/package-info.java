/** Restart: which checkpoint, from which copies; fetch, rebuild, and what remains to be protected. */
package io.vertxscr.service.restart;
