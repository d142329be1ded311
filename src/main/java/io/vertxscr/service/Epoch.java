package io.vertxscr.service;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.Optional;

/**
 * The leadership that a node follows, and its own one while it leads. On the node's loop only.
 *
 * <p>A leadership has a number and a name, {@code <node>/<random>}. The sides of a cut may take the same number, but
 * never the same name: a node follows one leadership, and refuses messages of any other (fencing). It follows another
 * one only by that one's takeover, and only if the node that the members say leads makes it. A number changes nothing
 * of that, however high; nor do number and name, which all nodes know, where the leader's key has not sent them.
 *
 * <p>Numbers are for what a leader counts: that goes on above what earlier leaders have counted. They are what others
 * say, so what one message raises them by is bounded, and they end where there is room for those counts.
 */
public final class Epoch {
  /** Two leaders of honest nodes are not further apart: that many others would have led in between. */
  static final long MAX_STEP = 1 << 16;
  /** Above it no number goes: each can be shifted by as much as leaders count. Four million lies away. */
  static final long MAX_NUMBER = 1L << 38;

  private final Membership membership;
  private long value;
  private String followed = "";
  private String own = "";

  /** Follows no leadership yet. @param membership who leads */
  public Epoch(Membership membership) {
    this.membership = membership;
  }

  /** The highest number that this node has heard of, within the bounds. */
  public long value() {
    return value;
  }

  /**
   * Follows a leadership. What another one sends from now on is refused.
   *
   * @throws ScrException NOT_LEADER if it is not one of the node that leads
   */
  public void follow(long number, String leadership) {
    requireLeaders(leadership);
    obey(number, leadership);
  }

  /**
   * Refuses messages that only the leader may send, where another one sends them.
   *
   * @param key fingerprint of the key that the sender has proved to have; empty for a message of this process
   * @throws ScrException NOT_LEADER
   */
  public void requireLeaders(Optional<String> key) {
    if (!membership.isOfLeader(key)) {
      throw new ScrException(Fault.NOT_LEADER, "the sender does not have the key of node "
          + membership.leader().name() + ", which leads as node " + membership.self().name() + " sees it");
    }
  }

  /** A node says this number. */
  public void hear(long number) {
    value = Math.clamp(number, value, Math.min(value + MAX_STEP, MAX_NUMBER));
  }

  private void obey(long number, String leadership) {
    hear(number);
    followed = leadership;
  }

  private void requireLeaders(String leadership) {
    String leader = membership.leader().name();
    if (!leadership.startsWith(leader + "/")) {
      throw new ScrException(Fault.NOT_LEADER, "leadership " + leadership + " is none of node " + leader
          + ", which leads as node " + membership.self().name() + " sees it");
    }
  }

  /** This node leads, with a number above all that it has heard of. */
  public void lead(String leadership) {
    obey(value + 1, leadership);
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
   * Admits messages of the leader that this node follows, while it leads; refuses others (fencing).
   *
   * @param text what it carries
   * @throws ScrException NOT_LEADER, BAD_REQUEST
   */
  public void admit(String text) {
    int space = text.indexOf(' ');
    if (space < 1 || !text.substring(0, space).chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw noEpoch(text);
    }
    long number;
    try {
      number = Long.parseLong(text.substring(0, space));
    } catch (NumberFormatException _) {
      throw noEpoch(text);                                // too large
    }
    String leadership = text.substring(space + 1);
    requireLeaders(leadership);
    if (!leadership.equals(followed)) {
      throw new ScrException(Fault.NOT_LEADER, "message of epoch " + number + " (" + leadership
          + "), this node follows " + value + " (" + followed + ")");
    }
    hear(number);
  }

  private static ScrException noEpoch(String text) {
    return new ScrException(Fault.BAD_REQUEST, "no epoch: '" + text + "'");
  }
}
