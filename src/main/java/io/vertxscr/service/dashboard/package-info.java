/** What the dashboard shows: the picture of the cluster, what a loss would cost, and those who look at it. */
package io.vertxscr.service.dashboard;
