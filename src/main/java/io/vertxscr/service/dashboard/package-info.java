/** What the dashboard shows: the picture of the cluster, the cost of losses, and those who look at it. */
package io.vertxscr.service.dashboard;
