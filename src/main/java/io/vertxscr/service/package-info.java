/**
 * What a node does, over ports. They are {@link io.vertxscr.service.Membership} and {@link io.vertxscr.service.NodeBus}
 * to the other nodes, {@link io.vertxscr.service.Loop} to its threads, {@link io.vertxscr.service.RangeSources} to
 * bytes, {@link io.vertxscr.service.Observer} to those who watch.
 *
 * <p>One sub-package for each subject (docs/architecture.md). All of it is confined to the node's loop.
 */
package io.vertxscr.service;
