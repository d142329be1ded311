/**
 * The ports of {@code service}, made of an event bus and a membership, either Hazelcast's or that of a single process;
 * and the events that are published for whoever listens.
 */
package io.vertxscr.cluster;
