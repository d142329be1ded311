package io.vertxscr.protocol.node;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.util.List;

/** Whether answers of nodes are about what was asked. */
public final class Answers {
  private Answers() {}

  /**
   * Returns the files of an answer, one entry for each rank in the order asked for.
   *
   * @throws ScrException BAD_REQUEST if they are of other ranks
   */
  public static List<RankFiles> of(List<Integer> asked, List<RankFiles> given) {
    if (!given.stream().map(RankFiles::rank).toList().equals(asked)) {
      throw new ScrException(Fault.BAD_REQUEST, "an answer has files of " + given.size() + " ranks, which are not the "
          + asked.size() + " asked for");
    }
    return given;
  }
}
