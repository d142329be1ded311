package io.vertxscr.redundancy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.LogicalFile;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Files of other nodes on this host, read by path past their daemons: a third of the cost of a connection. Their
 * daemons resolve a rank to files themselves; here the layout must be known. Redundancy files are not served: only the
 * filemap of the node that wrote them names them. Thread-safe; its streams are not.
 */
public final class DirectRanges implements RangeSource {
  private final Map<String, Path> cacheDirectories;
  private final Layouts layouts;
  private final Fault ifDifferent;

  /**
   * @param cacheDirectories of the nodes on this host, by node
   * @param ifDifferent what it means that a file is not as long as its layout says: FILE_CHANGED while the dataset is
   *     being protected, CORRUPT later
   */
  public DirectRanges(Map<String, Path> cacheDirectories, Layouts layouts, Fault ifDifferent) {
    this.cacheDirectories = Map.copyOf(cacheDirectories);
    this.layouts = layouts;
    this.ifDifferent = ifDifferent;
  }

  /** Whether this range can be read by path. */
  public boolean serves(RangeRequest request) {
    return layout(request).isPresent();
  }

  @Override
  public RangeStream open(RangeRequest request) {
    RankFiles files = layout(request).orElseThrow(() -> new ScrException(Fault.INTERNAL,
        "not to be read by path: " + request));
    Path directory = NodeDirectories.dataset(cacheDirectories.get(request.node()), request.datasetId());
    return new FilesStream(new LogicalFile(directory, files, ifDifferent), request.offset());
  }

  private Optional<RankFiles> layout(RangeRequest request) {
    return request.kind() == RangeRequest.Kind.FILES && cacheDirectories.containsKey(request.node())
        ? layouts.of(request.datasetId(), request.rank()) : Optional.empty();
  }
}
