/**
 * Services of a node over ports. These are {@link io.vertxscr.service.Membership} and
 * {@link io.vertxscr.service.NodeBus} to the other nodes, {@link io.vertxscr.service.Loop} to its threads,
 * {@link io.vertxscr.service.RangeSources} to bytes, {@link io.vertxscr.service.Observer} for events.
 *
 * <p>One sub-package for each subject, listed in docs/architecture.md. All state is confined to the node's loop.
 */
package io.vertxscr.service;
