/**
 * Implementations of {@code service}'s ports on an event bus and a membership. That is Hazelcast's, or that of a single
 * process. Also the publisher of events.
 */
package io.vertxscr.cluster;
