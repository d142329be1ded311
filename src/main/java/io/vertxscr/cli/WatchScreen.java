package io.vertxscr.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A page that is drawn again and again in one place of a terminal, until q or Ctrl-C is pressed.
 *
 * <p>It uses the terminal's second screen, so that what stood there before comes back at the end, also after a signal.
 * Keys come without a line feed because stty has switched that off (and Ctrl-Z, which would leave the terminal so);
 * where there is no stty, Ctrl-C alone ends it. No terminal library: these are the sequences of every terminal since
 * the VT100, and xterm's 1049.
 */
final class WatchScreen implements AutoCloseable {
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l";   // second screen, no cursor, no wrapping
  private static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String REST_OF_LINE = "\u001b[K";
  private static final String REST_OF_SCREEN = "\u001b[J";
  private static final String FOOT = "q quits";

  private final PrintStream out;
  private final Optional<Runnable> restore;
  private final InputStream keys;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param restore gives the keyboard back as it was; empty where keys come in lines, which are not waited for
   * @param keys whose read returns within a tenth of a second, -1 where no key was pressed
   */
  WatchScreen(PrintStream out, Optional<Runnable> restore, InputStream keys) {
    this.out = out;
    this.restore = restore;
    this.keys = keys;
    out.print(BEGIN);
    out.flush();
  }

  /** Takes the terminal of this process until it is closed, or the process ends. */
  static WatchScreen open(PrintStream out) {
    Optional<String> mode = stty("-g");
    boolean raw = mode.isPresent()
        && stty("-icanon", "-echo", "min", "0", "time", "1", "susp", "undef").isPresent();
    WatchScreen screen = new WatchScreen(out, mode.filter(_ -> raw).map(as -> () -> stty(as)),
        new FileInputStream(FileDescriptor.in));
    Runtime.getRuntime().addShutdownHook(new Thread(screen::close, "scr-watch-restore"));
    return screen;
  }

  /** What stty says, without its line feed; empty where it fails or is not there. */
  private static Optional<String> stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectInput(ProcessBuilder.Redirect.INHERIT)
          .redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      return process.waitFor() == 0 ? Optional.of(said) : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Draws over what stands there, in one write, so that nothing flickers. */
  void draw(List<String> lines) {
    StringBuilder page = new StringBuilder(HOME);
    lines.forEach(line -> page.append(line).append(REST_OF_LINE).append("\r\n"));
    page.append(restore.isPresent() ? FOOT : "").append(REST_OF_LINE).append(REST_OF_SCREEN);
    out.print(page);
    out.flush();
  }

  /** Waits for so long. @return whether q was pressed meanwhile */
  boolean isQuit(Duration wait) throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    if (restore.isEmpty()) {
      Thread.sleep(wait);
      return false;
    }
    try {
      while (System.nanoTime() < end) {
        int key = keys.read();
        if (key == 'q' || key == 'Q') {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives the terminal back as it was. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    out.print(END);
    out.flush();
    restore.ifPresent(Runnable::run);
  }
}
