/**
 * A parallel 2-D heat-diffusion solver with checkpoints. The demo's application, an example of the Java client. Row
 * blocks over ranks, halo exchange over TCP, explicit Jacobi steps on doubles; the final field is the same, bit for
 * bit, for any number of ranks and of interruptions.
 */
package io.vertxscr.examples.heat;
