/** A node's part in an output phase: start, route, complete, with and without the cache. */
package io.vertxscr.service.phase;
