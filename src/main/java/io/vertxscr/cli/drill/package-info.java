/**
 * The drill: a small run of its own loses nodes and restarts. Every byte is verified, and the times of the recovery are
 * reported (docs/flows/drill.md).
 */
package io.vertxscr.cli.drill;
