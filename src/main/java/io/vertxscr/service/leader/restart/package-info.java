/** What caches and prefix directory hold, and how one checkpoint of it comes to the nodes of a run. */
package io.vertxscr.service.leader.restart;
