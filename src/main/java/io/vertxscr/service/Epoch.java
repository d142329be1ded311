package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;

/**
 * The newest leadership that a node has heard of, and its own one while it leads. On the node's loop only.
 *
 * <p>A leadership has a number and a name. The sides of a cut may take the same number, but never the same name: a node
 * follows one leadership, and refuses messages of any other unless their number is higher (fencing).
 */
public final class Epoch {
  private long value;
  private String followed = "";
  private String own = "";

  public long value() {
    return value;
  }

  /** Follows a leadership. What another one with this number, or a lower one, sends from now on is refused. */
  public void follow(long number, String leadership) {
    value = Math.max(value, number);
    followed = leadership;
  }

  /** This node leads, with a number above all that it has heard of. */
  public void lead(long number, String leadership) {
    follow(number, leadership);
    own = leadership;
  }

  /** Whether this node leads, and has not heard of another leadership since. */
  public boolean leads() {
    return !own.isEmpty() && own.equals(followed);
  }

  /** The name of this node's own leadership, empty before its first. */
  public String own() {
    return own;
  }

  /**
   * What the messages of this node's leadership carry.
   *
   * @throws ScrException NOT_LEADER if this node does not lead under this name any more
   */
  public String text(String leadership) {
    if (!leads() || !own.equals(leadership)) {
      throw new ScrException(Fault.NOT_LEADER, "another node has led since, or leads now");
    }
    return value + " " + own;
  }

  /**
   * Admits a leader's message, or refuses one of another leadership that is not newer (fencing).
   *
   * @param text what it carries
   * @throws ScrException NOT_LEADER, BAD_REQUEST
   */
  public void admit(String text) {
    int space = text.indexOf(' ');
    if (space < 1 || !text.substring(0, space).chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new ScrException(Fault.BAD_REQUEST, "no epoch: '" + text + "'");
    }
    long number = Long.parseLong(text.substring(0, space));
    String leadership = text.substring(space + 1);
    if (number < value || number == value && !leadership.equals(followed)) {
      throw new ScrException(Fault.NOT_LEADER, "message of epoch " + number + " (" + leadership
          + "), this node follows " + value + " (" + followed + ")");
    }
    value = number;
    followed = leadership;
  }
}
