/** Observers that count events for Prometheus: one for each component (docs/metrics.md). */
package io.vertxscr.metrics;
