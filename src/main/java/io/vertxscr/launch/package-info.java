/**
 * What a launcher must know and decide: the nodes of an allocation, which of them are down, whether a program is
 * started again and with which command (docs/flows/launch.md). Pure.
 */
package io.vertxscr.launch;
