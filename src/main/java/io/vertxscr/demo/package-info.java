/**
 * Demo: the heat example on a small cluster that loses a node with its storage during the run. The scenario and what it
 * shows are here, against {@link io.vertxscr.demo.DemoCluster}; what a node is, is the caller's business.
 */
package io.vertxscr.demo;
