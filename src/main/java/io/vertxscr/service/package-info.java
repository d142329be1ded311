/**
 * What a node does, over ports: {@link io.vertxscr.service.Membership} and {@link io.vertxscr.service.NodeBus} to the
 * other nodes, {@link io.vertxscr.service.Loop} to its threads, {@link io.vertxscr.service.RangeSources} to bytes,
 * {@link io.vertxscr.service.Observer} to whoever wants to know.
 *
 * <p>Three rooms: {@code run} has the application's calls, {@code data} what is done with datasets on a node, {@code
 * leader} what the oldest node does for all. All of it is confined to the node's loop.
 */
package io.vertxscr.service;
