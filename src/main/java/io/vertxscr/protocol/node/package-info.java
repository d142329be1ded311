/**
 * Messages between nodes over the event bus: small, one for each node and step, idempotent. Bulk bytes never travel
 * here.
 */
package io.vertxscr.protocol.node;
