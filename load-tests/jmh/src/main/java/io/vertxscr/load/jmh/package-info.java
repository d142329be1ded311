/** Benchmarks of kernels: what one core does with bytes that are in memory. */
package io.vertxscr.load.jmh;
