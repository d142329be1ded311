package io.vertxscr.cluster;

import io.vertxscr.cluster.peer.OpenRange.Piece;
import io.vertxscr.cluster.peer.OpenRange;
import io.vertxscr.cluster.peer.RangeCatalog;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Serves the content of a node's store to peers. Thread-safe. */
public final class StoreCatalog implements RangeCatalog {
  private final DatasetStore store;

  public StoreCatalog(DatasetStore store) {
    this.store = store;
  }

  /** Pieces of files of the store; nothing has to be given back. */
  private record Files(List<Piece> pieces, boolean zerosBehind) implements OpenRange {
    @Override
    public void close() {
      // An evicted file stays readable while a server has it open: evicting renames, and unlinks later.
    }
  }

  @Override
  public OpenRange open(int datasetId, int rank, RangeRequest.RangeKind kind) {
    return switch (kind) {
      case FILES -> files(datasetId, rank);
      case REDUNDANCY -> redundancy(datasetId, rank);
      case PARITY -> parity(datasetId, rank);
    };
  }

  private OpenRange files(int datasetId, int rank) {
    RankFiles files = store.files(datasetId, rank).orElseThrow(() -> unknown(datasetId, rank, "files")).files();
    Path directory = store.directory(datasetId);
    List<Piece> pieces = new ArrayList<>();
    for (FileMeta file : files.files()) {
      pieces.add(new Piece(NodeDirectories.resolve(directory, file.name()), 0, file.bytes()));
    }
    return new Files(pieces, true);
  }

  private OpenRange redundancy(int datasetId, int rank) {
    Path path = store.redundancy(datasetId, rank).orElseThrow(() -> unknown(datasetId, rank, "redundancy"));
    RedundancyFiles.Payload payload = RedundancyFiles.payload(path);
    return new Files(List.of(new Piece(path, payload.offset(), payload.bytes())), false);
  }

  private OpenRange parity(int datasetId, int rank) {
    Path path = store.lent(datasetId, rank).orElseThrow(() -> unknown(datasetId, rank, "finished parity"));
    return new Files(List.of(new Piece(path, 0, LocalFiles.bytes(path))), false);
  }

  private static ScrException unknown(int datasetId, int rank, String what) {
    return new ScrException(Fault.UNKNOWN_RANK, "no " + what + " of rank " + rank + " in dataset " + datasetId);
  }
}
