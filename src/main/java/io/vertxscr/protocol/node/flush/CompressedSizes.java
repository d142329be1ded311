package io.vertxscr.protocol.node.flush;

import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/** Compressed sizes of these ranks' files, one list for each rank, in the order of the request. */
public record CompressedSizes(List<RankFiles> files, List<List<Long>> storedBytes) {
  public CompressedSizes {
    FieldChecks.size("files", files, Limits.MAX_RANKS);
    FieldChecks.range("storedBytes (entries)", storedBytes.size(), files.size(), files.size());
    for (int i = 0; i < files.size(); i++) {
      int ofRank = files.get(i).files().size();
      FieldChecks.range("storedBytes (entries)", storedBytes.get(i).size(), ofRank, ofRank);
      storedBytes.get(i).forEach(bytes -> FieldChecks.bytes("storedBytes", bytes));
    }
  }
}
