/** Messages of container aggregation (docs/flows/containers.md). */
package io.vertxscr.protocol.node.container;
