package io.vertxscr.protocol.app;

import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.Verb;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Whether there is a checkpoint to restart from ({@link Verb#HAVE_RESTART}).
 *
 * @param dataset its id, present exactly if available
 * @param name its name, present exactly if available
 * @param remarks messages for the user about the selected checkpoint, as in {@link InitReply}
 */
public record HaveRestartReply(boolean available, OptionalInt dataset, Optional<String> name,
    Optional<List<String>> remarks) implements CallReply {
  public static final HaveRestartReply NONE = new HaveRestartReply(false, OptionalInt.empty(), Optional.empty());

  public HaveRestartReply {
    if (dataset.isPresent() != available) {
      throw FieldChecks.bad("dataset", "must be there exactly if 'available' is true");
    }
    if (name.isPresent() != available) {
      throw FieldChecks.bad("name", "must be there exactly if 'available' is true");
    }
    dataset.ifPresent(id -> FieldChecks.range("dataset", id, 1, Integer.MAX_VALUE));
    remarks = remarks.map(List::copyOf);
  }

  /** Without remarks. */
  public HaveRestartReply(boolean available, OptionalInt dataset, Optional<String> name) {
    this(available, dataset, name, Optional.empty());
  }

  @Override
  public HaveRestartReply with(List<String> told) {
    return new HaveRestartReply(available, dataset, name, Optional.of(told));
  }

  /** The answer where this checkpoint is available. */
  public static HaveRestartReply of(int dataset, String name) {
    return new HaveRestartReply(true, OptionalInt.of(dataset), Optional.of(name));
  }
}
