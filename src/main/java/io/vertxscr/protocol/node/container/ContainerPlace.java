package io.vertxscr.protocol.node.container;

/**
 * Place of a node's files in the containers, one behind the other.
 *
 * @param layout name of what is written where; another one if a byte of the dataset may have another place
 * @param offset of the first byte in the dataset's stream
 * @param copied an earlier attempt has copied everything: nobody may write any more
 */
public record ContainerPlace(String layout, long containerBytes, long alignBytes, long offset, boolean copied) {}
