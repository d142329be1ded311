package io.vertxscr.cli.text;

import io.vertxscr.model.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A line of painted text. Each part is made printable before it is painted, so that no name of somebody else's
 * reaches a terminal as a command to it.
 */
public record StyledLine(List<PaintedText> parts) {
  private static final String CUT = "..";

  /** Some text of one paint. */
  public record PaintedText(Paint paint, String text) {
    public PaintedText {
      text = Names.printable(text);
    }
  }

  public StyledLine {
    parts = List.copyOf(parts);
  }

  public static StyledLine of(String text) {
    return of(Paint.PLAIN, text);
  }

  public static StyledLine of(Paint paint, String text) {
    return new StyledLine(List.of(new PaintedText(paint, text)));
  }

  /** The line with more text at its end. */
  public StyledLine and(Paint paint, String text) {
    List<PaintedText> more = new ArrayList<>(parts);
    more.add(new PaintedText(paint, text));
    return new StyledLine(more);
  }

  public StyledLine and(String text) {
    return and(Paint.PLAIN, text);
  }

  /** The line in at most so many columns. */
  public StyledLine cut(int columns) {
    if (plain().length() <= columns) {
      return this;
    }
    List<PaintedText> kept = new ArrayList<>();
    int left = columns - CUT.length();
    for (PaintedText part : parts) {
      kept.add(new PaintedText(part.paint(), part.text().substring(0, Math.clamp(left, 0, part.text().length()))));
      left -= part.text().length();
    }
    kept.add(new PaintedText(Paint.PLAIN, CUT));
    return new StyledLine(kept);
  }

  /** Text in at most so many columns; the end that is too much becomes two dots. */
  public static String cut(String text, int columns) {
    return of(text).cut(columns).plain();
  }

  /** Printable text in lines of so many columns, broken at spaces. A word that is longer is broken, too. */
  public static List<String> wrapped(String text, int columns) {
    List<String> lines = new ArrayList<>();
    String rest = Names.printable(text).strip();
    while (rest.length() > columns) {
      int space = rest.lastIndexOf(' ', columns);
      int end = space > 0 ? space : columns;
      lines.add(rest.substring(0, end));
      rest = rest.substring(end).strip();
    }
    lines.add(rest);
    return lines;
  }

  /** The text alone. */
  public String plain() {
    return parts.stream().map(PaintedText::text).collect(Collectors.joining()).stripTrailing();
  }

  /** The text with escape sequences for its colours, and no others. */
  public String coloured() {
    return parts.stream().map(part -> part.paint().on(part.text())).collect(Collectors.joining());
  }
}
