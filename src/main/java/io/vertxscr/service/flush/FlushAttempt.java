package io.vertxscr.service.flush;

import io.vertx.core.Promise;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.protocol.node.flush.MapPartWritten;
import io.vertxscr.protocol.node.flush.PublishedForm;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.container.ContainerSteps.ContainerContent;
import io.vertxscr.service.container.ContainerSteps.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Result of the first step of an attempt, for the following ones.
 *
 * @param holders the node that has each rank's files, by rank
 * @param complete whether the dataset was in the prefix directory already, whole
 * @param flush what its files become, on all nodes
 * @param containers where its files go, if they are packed
 */
record FlushAttempt(DatasetDescriptor descriptor, OpenPrefix directory, List<String> holders, boolean complete,
    FlushDescriptor flush, Optional<PackedContent> containers, Course course) {
  /** What is packed, and where it goes. */
  record PackedContent(ContainerContent packed, Plan plan) {}

  FlushAttempt with(ContainerContent packed, Plan plan) {
    return new FlushAttempt(
        descriptor, directory, holders, complete, flush, Optional.of(new PackedContent(packed, plan)), course);
  }

  PublishedForm form() {
    return form(flush);
  }

  static PublishedForm form(FlushDescriptor flush) {
    return flush.containers().isPresent() ? PublishedForm.CONTAINERS
        : flush.compression().isPresent() ? PublishedForm.COMPRESSED : PublishedForm.FILES;
  }

  /** Of the map that this attempt has written; empty if it has not. */
  Optional<Mapping> mapping() {
    return complete ? Optional.empty() : Optional.of(course.mapping(form()));
  }

  /** Whether nothing has to be written but, at most, the index. */
  boolean isWritten() {
    return complete || course.later.isPresent();
  }

  PrefixPaths paths() {
    return directory.paths();
  }

  String prefix() {
    return paths().prefix().toString();
  }

  /** Ranks by node. */
  SortedMap<String, List<Integer>> byNode() {
    SortedMap<String, List<Integer>> byNode = new TreeMap<>();
    for (int rank = 0; rank < holders.size(); rank++) {
      byNode.computeIfAbsent(holders.get(rank), _ -> new ArrayList<>()).add(rank);
    }
    return byNode;
  }

  /** All nodes that have any of it. Copies that are not flushed count, and redundancy alone. */
  SortedSet<String> nodes() {
    SortedSet<String> nodes = new TreeSet<>(holders);
    nodes.addAll(course.copies);
    return nodes;
  }

  /** State collected by the steps of an attempt. */
  static final class Course {
    /** The turn in which names are given, until the index has the dataset. */
    private Promise<Void> turn;
    /** By which names are given and the dataset is sealed; taken when the turn begins. */
    private Optional<PrefixToken> token = Optional.empty();
    /** Whether there was an attempt before, of any leader. */
    final boolean again;
    /** Whether the index named it when the attempt began. */
    boolean listed;
    /** Nodes whose caches have any of it, as far as is known. */
    Set<String> copies = Set.of();
    /** Whether another file may have had one of the names. */
    boolean taken;
    /** A later dataset that has them already. */
    Optional<DatasetDescriptor> later = Optional.empty();
    /** Bytes of all ranks' entries in the map. */
    long entryBytes;
    /** Parts of the map that are written. */
    final List<MapPartWritten> parts = new ArrayList<>();

    Course(boolean again, boolean taken) {
      this.again = again;
      this.taken = taken;
    }

    void begin(Promise<Void> mine) {
      turn = mine;
    }

    void begin(PrefixToken held) {
      token = Optional.of(held);
    }

    PrefixToken token() {
      return token.orElseThrow();
    }

    void endTurn() {
      if (turn != null) {
        turn.tryComplete();
      }
    }

    private Mapping mapping(PublishedForm form) {
      long stored = parts.stream().mapToLong(MapPartWritten::storedBytes).sum();
      return new Mapping(new Totals(parts.stream().mapToLong(MapPartWritten::files).sum(),
          parts.stream().mapToLong(MapPartWritten::bytes).sum()),
          form == PublishedForm.COMPRESSED ? OptionalLong.of(stored) : OptionalLong.empty());
    }
  }
}
