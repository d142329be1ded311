/** Flush: the leader half decides order, attempts and publication. The node half copies, within shared limits. */
package io.vertxscr.service.flush;
