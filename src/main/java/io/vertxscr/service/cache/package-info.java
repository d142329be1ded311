/** Caches of a node: what they hold, how much room they have, what is evicted. */
package io.vertxscr.service.cache;
