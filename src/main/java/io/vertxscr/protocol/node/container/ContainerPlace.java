package io.vertxscr.protocol.node.container;

import io.vertxscr.protocol.FieldChecks;

/**
 * Place of a node's files in the containers, one behind the other.
 *
 * @param layout name of what is written where; another one if a byte of the dataset may have another place
 * @param offset of the first byte in the dataset's stream
 * @param copied an earlier attempt has copied everything: nobody may write any more
 */
public record ContainerPlace(String layout, long containerBytes, long alignBytes, long offset, boolean copied) {
  public ContainerPlace {
    FieldChecks.component("layout", layout);
    FieldChecks.bytes("containerBytes", containerBytes);
    FieldChecks.bytes("alignBytes", alignBytes);
    FieldChecks.bytes("offset", offset);
  }
}
