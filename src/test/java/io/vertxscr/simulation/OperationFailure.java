package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Which operation on files fails, and how. */
enum OperationFailure {
  /** The next one, whichever it is; it has not happened. */
  ANY,
  /** The next sync of a file; what was to be synced may be dropped. */
  OF_SYNC,
  /** The next one that changes names; it has happened, as where a request outlives the patience of the client. */
  BEHIND,
  /** The same, and the client hears the answer to its second request, as of a server that forgets its answers. */
  REPEATED,
  /** The next look at a file's attributes, or whether it is there; these are no operations, and counted apart. */
  OF_LOOK;

  /** Whether it fails so. */
  boolean strikes(Operation operation) {
    return switch (this) {
      case ANY -> true;
      case OF_LOOK -> false;
      case OF_SYNC -> operation == Operation.SYNC;
      case BEHIND, REPEATED -> operation.changesNames();
    };
  }

  boolean isBehind() {
    return this == BEHIND || this == REPEATED;
  }

  /** What somebody hears of an operation on names that has happened. */
  IOException of(Operation operation, Path path) {
    return switch (this == REPEATED ? operation : Operation.CREATE) {
      case DELETE, MOVE -> new NoSuchFileException(path.toString());
      case LINK, MAKE_DIRECTORY -> new FileAlreadyExistsException(path.toString());
      default -> new IOException("Input/output error");
    };
  }
}
