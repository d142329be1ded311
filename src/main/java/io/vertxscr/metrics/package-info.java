/** Observers that turn what happens into numbers for Prometheus. */
package io.vertxscr.metrics;
