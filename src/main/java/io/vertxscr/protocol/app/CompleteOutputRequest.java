package io.vertxscr.protocol.app;

import io.vertxscr.model.Limits;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;

/**
 * Completes an output phase ({@link Verb#COMPLETE_OUTPUT}). Repeating it with the same number gives the same answer.
 *
 * @param call counts up by one with every numbered call of the rank, from 1
 * @param valid whether the rank wrote all of its files without error; they must be closed
 * @param files that the client placed itself, in the order in which it named them, absolute paths; missing where every
 *     file was routed by {@link Verb#ROUTE}
 * @param trouble set by the socket of the node where it has dropped the files: why; else missing
 */
public record CompleteOutputRequest(long run, int rank, long call, boolean valid, Optional<List<NamedFile>> files,
    Optional<String> trouble) {
  public CompleteOutputRequest {
    FieldChecks.run(run);
    FieldChecks.rank(rank);
    FieldChecks.call(call);
    files = files.map(List::copyOf);
    trouble.ifPresent(text -> FieldChecks.text("trouble", text));
    files.ifPresent(list -> {
      FieldChecks.range("files", list.size(), 0, Limits.MAX_FILES_PER_RANK);
      list.forEach(file -> FieldChecks.absolute("path", file.path()));
    });
  }
}
