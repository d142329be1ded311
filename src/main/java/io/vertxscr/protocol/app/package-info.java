/**
 * Messages between applications and their node. One self-validating record for each request and reply. They travel as
 * JSON ({@link io.vertxscr.protocol.Wire}), described for writers of clients in docs/messages.md.
 */
package io.vertxscr.protocol.app;
