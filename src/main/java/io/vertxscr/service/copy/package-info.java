/** Copies to prefix directories, within the limits that all nodes share. */
package io.vertxscr.service.copy;
