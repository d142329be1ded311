/**
 * JSON for programs that have no library for it: text to maps and lists, and these to records. The Java client needs
 * nothing else of the class path; daemons use {@link io.vertxscr.protocol.Wire}, which reads and writes the same.
 */
package io.vertxscr.protocol.json;
