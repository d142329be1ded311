/** The life of an application on a node: ranks, collective calls, phases. */
package io.vertxscr.service.run;
