/**
 * Decisions of a launcher: nodes of an allocation, down nodes, relaunch with which command. See docs/flows/launch.md.
 * Pure.
 */
package io.vertxscr.launch;
