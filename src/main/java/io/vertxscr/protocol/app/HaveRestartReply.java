package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Checks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Whether there is a checkpoint to restart from ({@link Verb#HAVE_RESTART}).
 *
 * @param dataset its id, present exactly if available
 * @param name its name, present exactly if available
 * @param remarks what whoever started the run must know of what CURRENT has selected, as in {@link InitReply}
 */
public record HaveRestartReply(boolean available, OptionalInt dataset, Optional<String> name,
    Optional<List<String>> remarks) {
  public static final HaveRestartReply NONE =
      new HaveRestartReply(false, OptionalInt.empty(), Optional.empty(), Optional.empty());

  public HaveRestartReply {
    if (dataset.isPresent() != available) {
      throw Checks.bad("dataset", "must be there exactly if 'available' is true");
    }
    if (name.isPresent() != available) {
      throw Checks.bad("name", "must be there exactly if 'available' is true");
    }
    remarks = remarks.map(List::copyOf);
    dataset.ifPresent(id -> Checks.range("dataset", id, 1, Integer.MAX_VALUE));
  }

  /** The answer where this checkpoint is at hand. */
  public static HaveRestartReply of(int dataset, String name) {
    return new HaveRestartReply(true, OptionalInt.of(dataset), Optional.of(name), Optional.empty());
  }

  /** The same answer with these remarks. */
  public HaveRestartReply with(Optional<List<String>> others) {
    return new HaveRestartReply(available, dataset, name, others);
  }
}
