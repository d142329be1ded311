/**
 * Messages between applications and daemons. One record each, and the frames of the application socket.
 * {@link io.vertxscr.protocol.Addresses} lists all addresses. docs/messages.md has it for readers outside.
 */
package io.vertxscr.protocol;
