package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists of hosts as Slurm and Flux write them.
 *
 * <pre>
 *   list  = name {"," name}
 *   name  = {letters | "[" range {"," range} "]"}          n[001-003,7]-ib  is  n001-ib n002-ib n003-ib n7-ib
 *   range = digits ["-" digits]                            as many digits as the first number, zeros in front
 * </pre>
 * With several brackets in one name the last counts fastest. Order and repetitions are kept.
 */
public final class Hostlist {
  /** No allocation has more; a mistyped range must not fill the memory. */
  static final int MAX_HOSTS = 1 << 17;

  private static final int MAX_DIGITS = 9;

  private final String text;
  private int at;

  private Hostlist(String text) {
    this.text = text;
  }

  /**
   * The hosts of a list; none for an empty one.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION}, with the place
   */
  public static List<String> expand(String list) {
    return list.isBlank() ? List.of() : new Hostlist(list.strip()).list();
  }

  private List<String> list() {
    List<String> hosts = new ArrayList<>(name());
    while (at < text.length()) {
      expect(',');
      hosts.addAll(name());
      limit(hosts.size());
    }
    return List.copyOf(hosts);
  }

  private List<String> name() {
    List<String> names = List.of("");
    int start = at;
    while (at < text.length() && text.charAt(at) != ',') {
      names = times(names, text.charAt(at) == '[' ? ranges() : List.of(letters()));
    }
    if (at == start) {
      throw wrong("a name is missing");
    }
    return names;
  }

  private List<String> times(List<String> fronts, List<String> backs) {
    limit((long) fronts.size() * backs.size());
    return fronts.stream().flatMap(front -> backs.stream().map(back -> front + back)).toList();
  }

  private String letters() {
    int start = at;
    while (at < text.length() && ",[".indexOf(text.charAt(at)) < 0) {
      if (text.charAt(at) == ']' || text.charAt(at) <= ' ') {
        throw wrong("'" + text.charAt(at) + "' has no place here");
      }
      at++;
    }
    return text.substring(start, at);
  }

  private List<String> ranges() {
    List<String> numbers = new ArrayList<>();
    do {
      at++;                                                // "[" or ","
      String first = digits();
      String last = first;
      if (at < text.length() && text.charAt(at) == '-') {
        at++;
        last = digits();
      }
      int from = Integer.parseInt(first);
      int to = Integer.parseInt(last);
      if (to < from) {
        throw wrong("range " + first + "-" + last + " goes backwards");
      }
      limit(numbers.size() + (long) to - from + 1);
      for (int number = from; number <= to; number++) {
        String plain = Integer.toString(number);
        numbers.add("0".repeat(Math.max(0, first.length() - plain.length())) + plain);
      }
    } while (at < text.length() && text.charAt(at) == ',');
    expect(']');
    return numbers;
  }

  private String digits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start || at - start > MAX_DIGITS) {
      throw wrong("a number of 1 to " + MAX_DIGITS + " digits is missing");
    }
    return text.substring(start, at);
  }

  private void expect(char c) {
    if (at >= text.length() || text.charAt(at) != c) {
      throw wrong("'" + c + "' is missing");
    }
    at++;
  }

  private void limit(long hosts) {
    if (hosts > MAX_HOSTS) {
      throw wrong("more than " + MAX_HOSTS + " hosts");
    }
  }

  private ScrException wrong(String what) {
    return new ScrException(Fault.BAD_CONFIGURATION, "host list '" + text + "', character " + (at + 1) + ": " + what);
  }
}
