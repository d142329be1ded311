package io.vertxscr.model;

import java.util.regex.Pattern;

/**
 * Who may change a prefix directory: one leader, from its takeover until somebody else's.
 *
 * @param epoch from 1; each takeover has a higher one than the one before it
 * @param node that leads
 * @param id 16 hexadecimal digits by chance: tells two takeovers apart where the file of the older one was lost
 */
public record PrefixToken(long epoch, String node, String id) {
  private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

  public PrefixToken {
    Names.node(node);
    if (epoch < 1 || !ID.matcher(id).matches()) {
      throw new ScrException(Fault.BAD_REQUEST, "epoch " + epoch + " with id '" + id + "' is no leader's token");
    }
  }

  /** The id of a random number. */
  public static String id(long random) {
    return "%016x".formatted(random);
  }

  /** In names of files: what one token has written is no other's. */
  public String text() {
    return epoch + "-" + id;
  }

  @Override
  public String toString() {
    return "epoch " + epoch + " of node " + node;
  }
}
