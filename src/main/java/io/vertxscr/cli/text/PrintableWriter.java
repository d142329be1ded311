package io.vertxscr.cli.text;

import io.vertxscr.model.Names;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * What a command prints, without control characters but line feeds and tabs. Names may be those of other people. Lines
 * that a name could break are printed through {@link Names#printable} beside that.
 */
public final class PrintableWriter extends FilterWriter {
  /** Writes to this one. */
  public PrintableWriter(Writer out) {
    super(out);
  }

  private static String printable(String text) {
    StringBuilder all = new StringBuilder(text.length());
    text.chars().forEach(c -> {
      if (c == '\n' || c == '\t') {
        all.append((char) c);
      } else {
        all.append(Names.printable(String.valueOf((char) c)));
      }
    });
    return all.toString();
  }

  @Override
  public void write(int c) throws IOException {
    out.write(printable(String.valueOf((char) c)));
  }

  @Override
  public void write(char[] from, int offset, int count) throws IOException {
    out.write(printable(new String(from, offset, count)));
  }

  @Override
  public void write(String text, int offset, int count) throws IOException {
    out.write(printable(text.substring(offset, offset + count)));
  }
}
