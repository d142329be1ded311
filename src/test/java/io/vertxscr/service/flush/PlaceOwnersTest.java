package io.vertxscr.service.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.protocol.node.flush.PublishedForm;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.LeaderlessBus;
import io.vertxscr.service.VirtualTime;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a flush that was overtaken replaces nothing newer. Method: an index with a later dataset, in each form. */
class PlaceOwnersTest {
  @TempDir
  Path temp;

  private Optional<DatasetDescriptor> later(Samples samples, DatasetDescriptor dataset, PublishedForm form) {
    VirtualTime time = new VirtualTime(new Random(1));
    PlaceOwners owners = new PlaceOwners(time.loop(), new LeaderlessBus() {
      @Override
      public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
        throw new AssertionError("the index says it");
      }
    });
    return time.await(owners.later(dataset, samples.paths, samples.publication, Map.of(), form)).result();
  }

  @ParameterizedTest
  @EnumSource(PublishedForm.class)
  void aLaterDatasetOfItsNameIsNotReplaced(PublishedForm form) {
    Samples samples = new Samples(temp);
    DatasetDescriptor newer = Samples.descriptor(8, "b");
    samples.index.update(index -> index.put(Index.Entry.flushed(newer, true, Samples.TIME)));
    assertThat(later(samples, Samples.descriptor(6, "b"), form)).contains(newer);
    assertThat(later(samples, newer, form)).isEmpty();
    assertThat(later(samples, Samples.descriptor(9, "b"), form)).as("a newer one").isEmpty();
  }
}
