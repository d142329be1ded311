package io.vertxscr.redundancy.range;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.LogicalFile;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Reads files of other nodes on this host by path, without their daemons. A third of a connection's cost. Their daemons
 * resolve a rank to files themselves; here the layout must be known, and the name of its redundancy file. Thread-safe;
 * its streams are not.
 */
public final class DirectRanges implements RangeSource {
  private final Set<String> nodes;
  private final Layouts layouts;
  private final Fault ifDifferent;

  /**
   * @param nodes those on this host
   * @param ifDifferent fault for a file whose length differs from its layout: FILE_CHANGED while the dataset is
   *     being protected, CORRUPT later
   */
  public DirectRanges(Set<String> nodes, Layouts layouts, Fault ifDifferent) {
    this.nodes = Set.copyOf(nodes);
    this.layouts = layouts;
    this.ifDifferent = ifDifferent;
  }

  /** Whether this range can be read by path. Blocking: looks at the directories where that was not done before. */
  public boolean serves(RangeRequest request) {
    return nodes.contains(request.node()) && directory(request).isPresent() && switch (request.kind()) {
      case FILES -> layout(request).isPresent();
      case REDUNDANCY -> redundancy(request).isPresent();
      case PARITY -> parity(request).isPresent();
    };
  }

  @Override
  public RangeStream open(RangeRequest request) {
    if (!serves(request)) {
      throw new ScrException(Fault.INTERNAL, "not to be read by path: " + request);
    }
    Path directory = directory(request).orElseThrow();
    return switch (request.kind()) {
      case FILES -> new FilesStream(
          new LogicalFile(directory, layout(request).orElseThrow(), ifDifferent), request.offset());
      case REDUNDANCY -> PayloadStream.behindHeader(
          directory, NodeDirectories.resolve(directory, redundancy(request).orElseThrow()), request.offset());
      case PARITY -> PayloadStream.of(
          directory, NodeDirectories.resolve(directory, parity(request).orElseThrow()), request.offset());
    };
  }

  private Optional<Path> directory(RangeRequest request) {
    return layouts.directory(request.datasetId(), request.node());
  }

  private Optional<RankFiles> layout(RangeRequest request) {
    return layouts.of(request.datasetId(), request.rank());
  }

  private Optional<String> redundancy(RangeRequest request) {
    return layouts.redundancy(request.datasetId(), request.rank());
  }

  private Optional<String> parity(RangeRequest request) {
    return layouts.parity(request.datasetId(), request.rank());
  }
}
