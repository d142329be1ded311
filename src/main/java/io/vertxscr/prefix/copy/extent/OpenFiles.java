package io.vertxscr.prefix.copy.extent;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/** Files that a {@link ResumableCopy} keeps open between its pieces. Used by one thread at a time. */
public final class OpenFiles {
  private final Deque<FileChannel> open = new ArrayDeque<>();

  /** Remembers a file to close. */
  public FileChannel add(FileChannel file) {
    open.push(file);
    return file;
  }

  /** Closes all, the last one first: a copy is not whole before that. @throws IOException of the first that fails */
  public void closeAll() throws IOException {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  /** Closes all after a failure, which is the one to report. */
  public void abandon() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (IOException _) {
        // report the failure that led here
      }
    }
  }
}
