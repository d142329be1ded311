/** Caches of a node: inventory, free space, eviction. */
package io.vertxscr.service.cache;
