/** Background reads of this node's caches, and what becomes of their findings. */
package io.vertxscr.service.scrub;
