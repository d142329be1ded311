/** Which dataset of a cache is read next, and how fast: decisions without clock, thread or message. */
package io.vertxscr.flow.scrub;
