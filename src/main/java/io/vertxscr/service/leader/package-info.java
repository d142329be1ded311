/** The leader's steps: what follows when all nodes have contributed their part to a gather. */
package io.vertxscr.service.leader;
