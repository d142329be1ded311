package io.vertxscr.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
  private static final Pattern NUMBERED = Pattern.compile("(.*?)([0-9]+)");

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

  /** A short list of these hosts that {@link #expand} gives back, sorted: {@code n[1-4,7]}. */
  public static String compress(Collection<String> hosts) {
    Set<String> padded = new HashSet<>();
    for (String host : hosts) {
      Matcher named = NUMBERED.matcher(host);
      if (named.matches() && named.group(2).matches("0.+")) {
        padded.add(named.group(1) + "/" + named.group(2).length());
      }
    }
    SortedMap<String, SortedMap<Integer, SortedSet<Integer>>> numbered = new TreeMap<>();
    SortedSet<String> plain = new TreeSet<>();
    for (String host : hosts) {
      Matcher named = NUMBERED.matcher(host);
      if (named.matches() && fits(named.group(2))) {
        // 007 and 7 are two names: numbers of one width stand together, others without zeros in front under width 0.
        int digits = named.group(2).length();
        int width = padded.contains(named.group(1) + "/" + digits) ? digits : 0;
        numbered.computeIfAbsent(named.group(1), _ -> new TreeMap<>())
            .computeIfAbsent(width, _ -> new TreeSet<>()).add(Integer.parseInt(named.group(2)));
      } else {
        plain.add(host);
      }
    }
    List<String> lists = new ArrayList<>();
    numbered.forEach((front, widths) -> widths.forEach((width, numbers) -> lists.add(front + inShort(width, numbers))));
    lists.addAll(plain);
    return String.join(",", lists);
  }

  /** Whether {@link #expand} would read these digits as one number. */
  private static boolean fits(String digits) {
    return digits.length() <= MAX_DIGITS;
  }

  private static String inShort(int width, SortedSet<Integer> numbers) {
    List<String> ranges = new ArrayList<>();
    List<Integer> sorted = List.copyOf(numbers);
    for (int i = 0; i < sorted.size();) {
      int end = i;
      while (end + 1 < sorted.size() && sorted.get(end + 1) == sorted.get(end) + 1) {
        end++;
      }
      ranges.add(padded(width, sorted.get(i)) + (end == i ? "" : "-" + padded(width, sorted.get(end))));
      i = end + 1;
    }
    return numbers.size() == 1 ? ranges.getFirst() : "[" + String.join(",", ranges) + "]";
  }

  private static String padded(int width, int number) {
    String plain = Integer.toString(number);
    return "0".repeat(Math.max(0, width - plain.length())) + plain;
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
