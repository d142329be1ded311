package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.WrittenOver;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.PublishedForm;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Detects a dataset overtaken by a later one that is whole, listed, and has its name or a path of it. It must not
 * be published, because it would replace the newer one, or overwrite it. Costs nothing but a look into the index where
 * no later one is listed. On the node's loop.
 */
public final class PlaceOwners {
  /** Of so many ranks at a time the names are asked for. */
  private static final int RANKS_AT_ONCE = 4096;

  private final Loop loop;
  private final NodeBus bus;

  /** Asks for the leader of a node. */
  public PlaceOwners(Loop loop, NodeBus bus) {
    this.loop = loop;
    this.bus = bus;
  }

  /**
   * The later dataset, where there is one.
   *
   * @param ranks those whose files each node has
   * @param form what its files become; in containers they have no places of their own
   */
  Future<Optional<DatasetDescriptor>> later(DatasetDescriptor dataset, PrefixPaths paths, Publication publication,
      Map<String, List<Integer>> ranks, PublishedForm form) {
    return loop.prefix().run("look for later datasets than " + dataset.id(), () -> publication.laterThan(dataset))
        .compose(later -> {
          Optional<DatasetDescriptor> ofName =
              later.stream().filter(other -> other.name().equals(dataset.name())).findFirst();
          return ofName.isPresent() || later.isEmpty() || form == PublishedForm.CONTAINERS
              ? Future.succeededFuture(ofName)
              : places(dataset.id(), ranks, form).compose(places -> loop.prefix().runLong("look for places of dataset "
                  + dataset.id() + " in maps", () -> new WrittenOver(paths).owner(places, later)));
        });
  }

  private Future<Set<String>> places(int id, Map<String, List<Integer>> ranksOfNodes, PublishedForm form) {
    Set<String> places = new HashSet<>();
    List<Supplier<Future<List<RankFiles>>>> questions = new ArrayList<>();
    ranksOfNodes.forEach((node, ranks) -> {
      for (int first = 0; first < ranks.size(); first += RANKS_AT_ONCE) {
        List<Integer> some = List.copyOf(ranks.subList(first, Math.min(first + RANKS_AT_ONCE, ranks.size())));
        questions.add(() -> bus.ask(node, NodeVerb.LAYOUT, new LayoutRequest(id, some), LayoutReply.class)
            .map(layout -> Answers.of(some, layout.files())));
      }
    });
    Future<Void> asked = Future.succeededFuture();
    for (Supplier<Future<List<RankFiles>>> question : questions) {
      asked = asked.compose(_ -> question.get()).map(files -> {
        files.stream().flatMap(rank -> rank.files().stream()).map(FileMeta::path)
            .map(path -> form == PublishedForm.COMPRESSED ? FlushedFile.compressedPlace(path) : path)
            .forEach(places::add);
        return null;
      });
    }
    return asked.map(places);
  }
}
