/**
 * Flush: the leader half decides order, attempts and publication; the node half copies, within the limits that all
 * nodes share.
 */
package io.vertxscr.service.flush;
