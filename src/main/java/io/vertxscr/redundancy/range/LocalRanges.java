package io.vertxscr.redundancy.range;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.DatasetStore.Holding;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LogicalFile;
import java.nio.file.Path;

/** Ranges of this node's files, for itself and for its peers. Thread-safe; its streams are not. */
public final class LocalRanges implements RangeSource {
  private final DatasetStore store;

  public LocalRanges(DatasetStore store) {
    this.store = store;
  }

  @Override
  public RangeStream open(RangeRequest request) {
    int id = request.datasetId();
    Path directory = store.directory(id);
    Holding holding = store.files(id, request.rank()).orElseThrow(() -> missing(request));
    return switch (request.kind()) {
      case FILES -> new FilesStream(new LogicalFile(directory, holding.files(),
          holding.complete() ? Fault.CORRUPT : Fault.FILE_CHANGED), request.offset());
      case REDUNDANCY -> {
        Path path = store.redundancy(id, request.rank()).orElseThrow(() -> new ScrException(Fault.NO_SUCH_FILE,
            "node " + request.node() + " has no redundancy file of rank " + request.rank() + " of dataset " + id));
        yield PayloadStream.behindHeader(directory, path, request.offset());
      }
      case PARITY -> PayloadStream.of(directory, store.lent(id, request.rank()).orElseThrow(() -> new ScrException(
          Fault.NO_SUCH_FILE, "node " + request.node() + " has no finished parity of rank " + request.rank()
              + " of dataset " + id)), request.offset());
    };
  }

  private ScrException missing(RangeRequest request) {
    String where = "dataset " + request.datasetId() + " on node " + request.node();
    return store.find(request.datasetId()).isPresent()
        ? new ScrException(Fault.UNKNOWN_RANK, "rank " + request.rank() + " has no files of " + where)
        : new ScrException(Fault.NO_SUCH_DATASET, "no " + where + " for rank " + request.rank());
  }
}
