package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.format.Samples;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.redundancy.ChecksumsReply;
import io.vertxscr.protocol.node.redundancy.ChecksumsRequest;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.redundancy.SetsToUse;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.LeaderlessBus;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.redundancy.ProtectionJob;
import io.vertxscr.service.redundancy.ProtectionService;
import io.vertxscr.service.redundancy.UnreadDatasets;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.LocalFiles;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a protection that comes to nothing ends, and leaves no file open. Method: one node of three, in virtual time,
 * on a simulated disk; the others tell their layouts, and never their checksums, as if they had not heard of it.
 */
class EndedProtectionTest {
  private static final int ID = 7;
  private static final long RUN = 5;
  private static final int BYTES = 1000;
  private static final RankMap MAP = new RankMap(List.of("n1", "n2", "n3"));
  private static final ScrException LOST = new ScrException(Fault.NODE_LOST, "node n3 has left the cluster");

  /** The node. */
  private static final class Node extends LeaderlessBus {
    final VirtualTime time = new VirtualTime(new Random(1));
    final List<ChecksumsRequest> asked = new ArrayList<>();
    final SimulatedFileSystem files;
    final Loop loop;
    final DatasetStore store;
    final ProtectionService service;
    private int operations;

    /** @param fails which operation on files of the protection; 0: none */
    Node(int fails) throws IOException {
      SimulatedDisk disk = new SimulatedDisk(time::nowNs);
      files = new SimulatedFileSystem("n1", disk, new SimulatedDisk(time::nowNs), (_, _, _) -> {
        if (time.isInJob() && ++operations == fails) {
          throw new IOException("Input/output error");
        }
      });
      loop = time.loop(new LocalFiles(files));
      store = DatasetStore.open(new NodeDirectories(files.getPath("/cache"), files.getPath("/cntl")).create());
      service = new ProtectionService(
          loop, this, "n1", store, (_, _) -> _ -> new Zeros(), new UnreadDatasets(loop, store));
      Files.write(store.createDirectory(ID, 0).resolve("a"), new byte[BYTES]);
      store.register(ID, layout(0));
    }

    Future<DatasetRecord> protect() {
      return protect(0);
    }

    Future<DatasetRecord> protect(long round) {
      CheckpointDescriptor how =
          new CheckpointDescriptor(0, true, 1, GroupDescriptors.NODE, "/cache", new Redundancy(Scheme.RS, 3, 2), false);
      DatasetDescriptor dataset = Samples.descriptor(ID, "b.7").with(new DatasetDescriptor.Totals(3, 3 * BYTES));
      DatasetRecord record = new DatasetRecord(dataset, new Origin("/p", 3), store.cache(ID),
          new RedundancyDescriptor(how, 1), FlushState.NOT_WANTED, List.of());
      ProtectionJob job = new ProtectionJob(
          record, RUN, MAP, ProtectionJob.Sets.of(MAP, how, GroupDescriptors.BUILT_IN), round, List.of(layout(0)),
          Map.of(), Map.of());
      Future<DatasetRecord> end = loop.call(() -> service.protect(job, (_, _) -> {}, false));
      time.runUntil(() -> false, Duration.ofSeconds(1));
      return end;
    }

    Future<Ack> again(long round) {
      Future<Ack> end = loop.call(() -> service.protect(
          new ProtectRequest(ID, RUN, round, new RankMap(List.of("n1")), GroupDescriptors.BUILT_IN)));
      time.runUntil(() -> false, Duration.ofSeconds(1));
      return end;
    }

    Future<Ack> commit(DatasetKey which, long round) {
      Future<Ack> end = loop.call(() -> service.commit(new SetsToUse(which, round)));
      time.runUntil(() -> false, Duration.ofSeconds(1));
      return end;
    }

    void over() {
      loop.later(() -> service.over(RUN, LOST));
      time.runUntil(() -> false, Duration.ofSeconds(1));
    }

    Future<ChecksumsReply> ask(long run) {
      return ask(run, 0);
    }

    Future<ChecksumsReply> ask(long run, long round) {
      Future<ChecksumsReply> told =
          loop.call(() -> service.checksums(new ChecksumsRequest(ID, run, round, List.of(0, 1, 2), List.of())));
      time.runUntil(() -> false, Duration.ofSeconds(1));
      return told;
    }

    void later() {
      pass(60_000);
    }

    void pass(long ms) {
      time.runUntil(() -> false, Duration.ofMillis(ms));
    }

    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      if (request instanceof LayoutRequest layouts) {
        return Future.succeededFuture(answer.cast(new LayoutReply(
            layouts.ranks().stream().map(rank -> new RankLayout(layout(rank), Optional.empty())).toList(),
            "/cache")));
      }
      asked.add((ChecksumsRequest) request);
      return loop.<A>promise().future();
    }
  }

  private static RankFiles layout(int rank) {
    return new RankFiles(rank, List.of(new FileMeta("rank." + rank + "/a", "a." + rank, BYTES, OptionalInt.empty())));
  }

  /** What all files are full of. */
  private static final class Zeros implements RangeStream {
    @Override
    public void read(ByteBuffer into) {
      into.put(new byte[into.remaining()]);
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @Test
  void itEndsWithItsRunThoughTheOthersNeverTellTheirChecksums() throws IOException {
    Node node = new Node(0);
    Future<DatasetRecord> end = node.protect();
    assertThat(end.cause()).isNull();
    assertThat(end.isComplete()).isFalse();
    assertThat(node.asked).as("others asked").hasSize(2).allMatch(request -> request.run() == RUN);
    assertThat(node.files.openFiles()).as("the redundancy file").hasSize(1);
    node.over();
    assertThat(end.cause()).isEqualTo(LOST);
    assertThat(node.files.openFiles()).isEmpty();
  }

  @Test
  void itEndsAtOnceWhereItsRunIsOver() throws IOException {
    Node node = new Node(0);
    node.over();
    assertThat(node.protect().cause()).isEqualTo(LOST);
    assertThat(node.asked).as("others, who may have begun anew and would never answer").isEmpty();
    assertThat(node.files.openFiles()).isEmpty();
  }

  @Test
  void whoAsksForChecksumsOfARunThatIsOverIsRefusedAndOthersWait() throws IOException {
    Node node = new Node(0);
    Future<ChecksumsReply> before = node.ask(RUN);
    assertThat(before.isComplete()).isFalse();
    node.over();
    assertThat(before.cause()).isEqualTo(LOST);
    assertThat(node.ask(RUN).cause()).isEqualTo(LOST);
    assertThat(node.ask(RUN - 1).cause()).isEqualTo(LOST);
    assertThat(node.ask(RUN + 1).isComplete()).isFalse();
  }

  @Test
  void whoAsksANodeThatHasForgottenToProtectADatasetAgainIsRefused() throws IOException {
    Node node = new Node(0);
    Future<ChecksumsReply> again = node.ask(RUN, 3);
    Future<ChecksumsReply> inPhase = node.ask(RUN);
    assertThat(again.isComplete()).as("it may begin yet").isFalse();
    node.later();
    assertThat(again.cause()).isInstanceOfSatisfying(ScrException.class, refusal ->
        assertThat(refusal.fault()).isEqualTo(Fault.BUSY)).hasMessageContainingAll("n1", "dataset 7");
    assertThat(inPhase.isComplete()).as("ranks complete when they like").isFalse();
  }

  /** He asks again every ten seconds, a moment later each time, and an answer to an earlier question is not heard. */
  @Test
  void theRefusalComesWhileWhoAsksWaitsForIt() throws IOException {
    Node node = new Node(0);
    boolean heard = false;
    for (int attempt = 1; attempt <= 6 && !heard; attempt++) {
      Future<ChecksumsReply> told = node.ask(RUN, 3);
      node.pass(8_990);
      heard = told.isComplete();
      node.pass(11);
    }
    assertThat(heard).isTrue();
  }

  @Test
  void aNodeThatBeginsInTimeAnswersAllWhoHaveAskedBefore() throws IOException {
    Node node = new Node(0);
    Future<ChecksumsReply> again = node.ask(RUN, 3);
    node.protect(3);
    assertThat(again.result().ranges()).isNotEmpty();
    node.later();
    assertThat(node.ask(RUN, 3).result()).isEqualTo(again.result());
  }

  @Test
  void aDiskThatFailsAtAnyOperationLeavesNothingOpen() throws IOException {
    int failing = 1;
    for (Node node = new Node(failing); node.protect().failed(); node = new Node(++failing)) {
      assertThat(node.files.openFiles()).as("operation %d", failing).isEmpty();
    }
    assertThat(failing).as("operations").isGreaterThan(10);
  }

  /** One that was late, or sent twice, while another one is made. */
  @Test
  void aCommitIsOfItsOwnProtectionAndOfNoOther() throws IOException {
    Node node = new Node(0);
    CheckpointDescriptor how = new CheckpointDescriptor(
        0, true, 1, GroupDescriptors.NODE, "/cache", new Redundancy(Scheme.SINGLE, 8, 0), false);
    DatasetDescriptor dataset = Samples.descriptor(ID, "b.7").with(new DatasetDescriptor.Totals(1, BYTES));
    RedundancySet set = new RedundancySet(List.of(0));
    DatasetRecord before = new DatasetRecord(dataset, new Origin("/p", 1), node.store.cache(ID),
        new RedundancyDescriptor(how, 9), FlushState.NOT_WANTED,
        List.of(new RankRecord(layout(0), set, Optional.empty())));
    node.store.save(before);
    assertThat(node.again(3).succeeded()).isTrue();
    assertThat(node.again(4).succeeded()).isTrue();
    assertThat(node.commit(dataset.key(), 3).cause()).isInstanceOfSatisfying(ScrException.class, refusal ->
        assertThat(refusal.fault()).isEqualTo(Fault.BUSY));
    assertThat(node.store.find(ID).orElseThrow().redundancy()).isEqualTo(before.redundancy());
    assertThat(node.commit(dataset.key(), 4).succeeded()).isTrue();
    assertThat(node.commit(dataset.key(), 4).succeeded()).as("said again").isTrue();
    assertThat(node.store.find(ID).orElseThrow().redundancy()).isNotEqualTo(before.redundancy());
  }
}
