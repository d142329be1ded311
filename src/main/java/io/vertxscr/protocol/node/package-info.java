/**
 * What nodes say to each other over the event bus: small, one message per node and step, every one idempotent. Bulk
 * bytes never travel here.
 */
package io.vertxscr.protocol.node;
