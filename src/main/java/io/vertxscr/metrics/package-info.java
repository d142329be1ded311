/** Observers that turn what happens into numbers for Prometheus: one for each component (docs/metrics.md). */
package io.vertxscr.metrics;
