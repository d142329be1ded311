/** The life of a run: membership, leadership, ranks, collective calls. */
package io.vertxscr.service.run;
