/** Messages that have damaged parts of cached datasets found, told and made again. */
package io.vertxscr.protocol.node.scrub;
