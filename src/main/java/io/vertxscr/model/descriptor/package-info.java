/**
 * Group, store and redundancy descriptors, in SCR's words: which nodes fail together, where datasets are cached, and
 * how a checkpoint is protected there.
 */
package io.vertxscr.model.descriptor;
