/** Encode and rebuild on a node. */
package io.vertxscr.service.redundancy;
