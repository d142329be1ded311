/**
 * What applications and their node say to each other: one record for each request and reply, which checks itself. They
 * travel as JSON ({@link io.vertxscr.protocol.Wire}), described for writers of clients in docs/messages.md.
 */
package io.vertxscr.protocol.app;
