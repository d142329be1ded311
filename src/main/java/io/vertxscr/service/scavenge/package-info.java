/** Scavenge by running daemons, at the end of an allocation. */
package io.vertxscr.service.scavenge;
