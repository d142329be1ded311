/**
 * What applications and daemons say to each other: one record for each message, the frames of the application socket,
 * and {@link io.vertxscr.protocol.Addresses}, the one place that lists who can be talked to. docs/messages.md has it
 * for readers outside.
 */
package io.vertxscr.protocol;
