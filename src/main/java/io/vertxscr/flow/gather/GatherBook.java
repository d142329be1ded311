package io.vertxscr.flow.gather;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The leader's view of the open gather: contributions received, and missing ones. A run has one gather open at a time,
 * because every node waits for the result of one before it begins the next. Pure; not thread-safe.
 *
 * <p>A new leader's book begins with the highest number that any node of the run has a result of. That is safe under
 * two conditions, which the callers keep: the book is built after <em>every</em> node has reported, and a node that has
 * reported takes no result of an earlier leader any more, but asks the new one. Without the second, a result on its way
 * to one node would be unknown to the new book: that node would be refused as too far ahead, and the others would wait
 * for it forever.
 *
 * @param <P> what a node contributes
 * @param <R> the result
 */
public final class GatherBook<P, R> {
  private final SortedSet<String> nodes;
  private final SortedMap<String, Entry<P>> open = new TreeMap<>();
  private long doneNumber;
  private R doneResult;
  private boolean deciding;

  private record Entry<P>(Step step, P part) {}

  /** Result of an arriving contribution. */
  public sealed interface Arrival<P, R> {
    /** Others are missing. */
    record Wait<P, R>() implements Arrival<P, R> {}

    /** All are here: their parts, by node. The leader decides, and then tells the book with {@link #done}. */
    record All<P, R>(Step step, List<NodeContribution<P>> parts) implements Arrival<P, R> {}

    /** All are here, but not in the same call: how they differ. To be decided (as a failure) like {@link All}. */
    record Odd<P, R>(String how) implements Arrival<P, R> {}

    /** This gather is over (the reply was lost): its result. */
    record Known<P, R>(R result) implements Arrival<P, R> {}
  }

  /**
   * Starts a book.
   *
   * @param nodes the nodes of the run
   * @param doneNumber number of the last gather that is over, 0 for none
   * @param doneResult its result
   */
  public GatherBook(Iterable<String> nodes, long doneNumber, R doneResult) {
    this.nodes = new TreeSet<>();
    nodes.forEach(this.nodes::add);
    this.doneNumber = doneNumber;
    this.doneResult = doneResult;
  }

  /**
   * Notes a part; a repeated one replaces the first.
   *
   * @throws ScrException BAD_REQUEST for a node that is not in the run or a gather that cannot be open
   */
  public Arrival<P, R> arrive(String node, long number, Step step, P part) {
    if (!nodes.contains(node)) {
      throw new ScrException(Fault.BAD_REQUEST, "node " + node + " is not part of the run");
    }
    if (number == doneNumber) {
      return new Arrival.Known<>(doneResult);
    }
    if (number != doneNumber + 1) {
      throw new ScrException(Fault.BAD_REQUEST,
          "node " + node + " is at gather " + number + ", the run at " + (doneNumber + 1));
    }
    if (deciding) {
      return new Arrival.Wait<>();
    }
    open.put(node, new Entry<>(step, part));
    return open.size() < nodes.size() ? new Arrival.Wait<>() : all();
  }

  private Arrival<P, R> all() {
    Step step = open.firstEntry().getValue().step();
    List<NodeContribution<P>> parts = new ArrayList<>();
    String odd = null;
    for (var entry : open.entrySet()) {
      parts.add(new NodeContribution<>(entry.getKey(), entry.getValue().part()));
      if (entry.getValue().step() != step && odd == null) {
        odd = "ranks on node " + open.firstKey() + " called " + step.title() + ", ranks on node " + entry.getKey()
            + " called " + entry.getValue().step().title();
      }
    }
    open.clear();
    deciding = true;
    return odd == null ? new Arrival.All<>(step, parts) : new Arrival.Odd<>(odd);
  }

  /**
   * Notes the result of the gather whose parts were all here, so that a node that asks again gets it. Every {@code All}
   * and {@code Odd} must be followed by this call for every decision: until then all nodes wait.
   *
   * @throws IllegalStateException if no decision is due: a repeated result would be mistaken for that of the next
   * gather
   */
  public void done(R result) {
    if (!deciding) {
      throw new IllegalStateException("gather " + (doneNumber + 1) + " has no decision due, yet a result: " + result);
    }
    deciding = false;
    doneNumber++;
    doneResult = result;
  }

  /** Number of the last gather that is over. */
  public long doneNumber() {
    return doneNumber;
  }

  /** Returns the nodes whose contributions are missing. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>(open.isEmpty() ? List.of() : nodes);
    missing.removeAll(open.keySet());
    return missing;
  }

  /** Returns the step of those who have contributed. */
  public Optional<Step> waitingIn() {
    return open.values().stream().findFirst().map(Entry::step);
  }
}
