/** Asks the daemons of this host. */
package io.vertxscr.cli.daemon;
