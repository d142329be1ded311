package io.vertxscr.protocol.node.run;

import java.util.Optional;

/**
 * Result of the gather PROTECTED: the dataset is complete.
 *
 * @param halt why the run is to stop, where it is
 * @param exit whether its processes are to end themselves then
 */
public record OutputProtected(Optional<String> halt, boolean exit) {}
