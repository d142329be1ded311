package io.vertxscr.protocol;

import io.vertxscr.config.ConfText;
import io.vertxscr.config.SettingsSources;
import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.config.policy.LogPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.config.policy.UserFile;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.advice.Rule;
import io.vertxscr.flow.advice.Span;
import io.vertxscr.flow.advice.Withdrawn;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.paths.PathClaims;
import io.vertxscr.flow.paths.PathHash;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.DrainState;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.SmallRank;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.advice.AdviceLeaseRequest;
import io.vertxscr.protocol.node.advice.AdviceWithdrawal;
import io.vertxscr.protocol.node.container.AggregateRequest;
import io.vertxscr.protocol.node.container.ContainerPlace;
import io.vertxscr.protocol.node.container.EntriesReply;
import io.vertxscr.protocol.node.container.EntriesRequest;
import io.vertxscr.protocol.node.container.MeasureReply;
import io.vertxscr.protocol.node.container.MeasureRequest;
import io.vertxscr.protocol.node.container.PublishContainers;
import io.vertxscr.protocol.node.flush.CompressedSizes;
import io.vertxscr.protocol.node.flush.CompressedSizesRequest;
import io.vertxscr.protocol.node.flush.DraftsRenamed;
import io.vertxscr.protocol.node.flush.FlushAmount;
import io.vertxscr.protocol.node.flush.FlushQuestion;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.flush.FlushWork;
import io.vertxscr.protocol.node.flush.FlushWorked;
import io.vertxscr.protocol.node.flush.LockTried;
import io.vertxscr.protocol.node.flush.MapPartRequest;
import io.vertxscr.protocol.node.flush.MapPartWritten;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.protocol.node.flush.PublishedForm;
import io.vertxscr.protocol.node.flush.ShareReply;
import io.vertxscr.protocol.node.flush.ShareRequest;
import io.vertxscr.protocol.node.flush.TryLock;
import io.vertxscr.protocol.node.redundancy.ChecksumsReply;
import io.vertxscr.protocol.node.redundancy.ChecksumsRequest;
import io.vertxscr.protocol.node.redundancy.ProtectRequest;
import io.vertxscr.protocol.node.redundancy.SetsCommitted;
import io.vertxscr.protocol.node.redundancy.SetsToUse;
import io.vertxscr.protocol.node.restart.DropDatasets;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.protocol.node.restart.FetchRanks.FetchMode;
import io.vertxscr.protocol.node.restart.HeaderRequest;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.protocol.node.restart.RanksRestored;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.protocol.node.restart.VerifyDataset;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.protocol.node.run.ClaimPaths;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.EventsAfter;
import io.vertxscr.protocol.node.run.DrainMark;
import io.vertxscr.protocol.node.run.FormingView;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.protocol.node.run.JoinRefusal;
import io.vertxscr.protocol.node.run.JoinRun;
import io.vertxscr.protocol.node.run.KnownUserFile;
import io.vertxscr.protocol.node.run.LostRank;
import io.vertxscr.protocol.node.run.NodeEvents;
import io.vertxscr.protocol.node.run.NodeRunState;
import io.vertxscr.protocol.node.run.NodeSpace;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.node.run.OutputProtected;
import io.vertxscr.protocol.node.run.OutputStarted;
import io.vertxscr.protocol.node.run.OutputWritten;
import io.vertxscr.protocol.node.run.PathsClaimed;
import io.vertxscr.protocol.node.run.Pulse;
import io.vertxscr.protocol.node.run.RankConfiguration;
import io.vertxscr.protocol.node.run.RestartOffer;
import io.vertxscr.protocol.node.run.RunEnd;
import io.vertxscr.protocol.node.run.RunJoined;
import io.vertxscr.protocol.node.run.RunView;
import io.vertxscr.protocol.node.run.StoreSpace;
import io.vertxscr.protocol.node.run.StoreToCheck;
import io.vertxscr.protocol.node.run.StoresChecked;
import io.vertxscr.protocol.node.run.Takeover;
import io.vertxscr.protocol.node.run.UserFileAsk;
import io.vertxscr.protocol.node.scrub.MendParts;
import io.vertxscr.protocol.node.scrub.Mended;
import io.vertxscr.protocol.node.scrub.RepairRequest;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.protocol.node.scrub.PublishedView;
import io.vertxscr.protocol.node.scrub.ScrubView;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.RangeChecksums;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A message of each kind that nodes send each other. With all that may be missing, of a run and a dataset that are
 * nowhere, in a prefix directory and a store that may be somewhere. Relative paths begin with {@link #RELATIVE}.
 */
public final class NodeMessages {
  /** What relative paths of samples begin with. */
  static final String RELATIVE = "below/";
  private static final long RUN = 7;
  private static final int ID = 977;
  private static final long CREATED_US = 1_700_000_000_000_000L;
  private static final PrefixToken TOKEN = new PrefixToken(1, "n1", PrefixToken.id(1));
  private static final RedundancySet SET = new RedundancySet(List.of(0, 1));

  private final String prefix;
  private final String store;

  /** @param store base of a store */
  public NodeMessages(String prefix, String store) {
    this.prefix = prefix;
    this.store = store;
  }

  /** Requests, answers, and what is packed into others. */
  static Stream<Record> all() {
    NodeMessages messages = new NodeMessages("/prefix", "/store");
    return Stream.concat(Stream.of(NodeVerb.values()).map(messages::request),
        Stream.concat(messages.answers(), messages.packed()));
  }

  /** What a node asks another one with this verb. */
  public Record request(NodeVerb verb) {
    return switch (verb) {
      case JOIN -> new JoinRun("n3", "n1", prefix, "job", 4, List.of(2), Optional.of(configuration()), RUN);
      case LOST -> new LostRank(RUN, 1, 11, "rank 2 on node n3 has ended");
      case GATHER -> new GatherPart(RUN, 1, "n3", Step.START_OUTPUT, Optional.of("ranks disagree"),
          Packed.of(new Part.Have(true)));
      case ADVICE -> new AdviceLeaseRequest(RUN, Question.SHOULD_EXIT, "n3", 1, 1);
      case ADVICE_WITHDRAW -> new AdviceWithdrawal(RUN, Question.NEED_CHECKPOINT, 1, 1);
      case EVENTS -> new EventsAfter(OptionalLong.of(5), 20);
      case WAITS, SPACE, PULSE, CONFIGURED, INVENTORY -> Ack.ACK;
      case CLIENT_CLOSED -> new ClientClosed("member:x/1");
      case USER_FILE -> new UserFileAsk("/prefix/.scrconf");
      case TAKEOVER -> new Takeover("n1", 1, "n1/17");
      case RUN_BEGIN -> run();
      case RUN_OVER -> new RunEnd(RUN, 1, 12, "node n4 has left the cluster");
      case STORES -> new CheckStores(List.of(new StoreToCheck(store, false)));
      case CLAIM_PATHS -> new ClaimPaths(RUN, 1, "n3", List.of(2), PathHash.pack(List.of(PathHash.of("a"))),
          List.of(SmallRank.described(files(2), new byte[9]), SmallRank.of(files(3), new byte[9])));
      case VERIFY -> new VerifyDataset(dataset().key(), true);
      case FETCH_COMMIT, FETCH_DISCARD -> dataset().key();
      case PROTECT_COMMIT -> new SetsToUse(dataset().key(), 6);
      case PROTECT_DONE -> new SetsCommitted(dataset().key(), 5);
      case RESTORE -> new RestoreRanks(dataset(), origin(), store, redundancy(), FlushState.WANTED,
          List.of(new RankPlan(0, Action.MOVE, "n1", SET, List.of()),
              new RankPlan(1, Action.REBUILD, "", SET, List.of(new Member("n1", "n3"), new Member("", "n3")))));
      case FETCH -> new FetchRanks(dataset(), origin(), store, redundancy(), List.of(1),
          new FetchMode(false, true, 2, Optional.of(TOKEN)));
      case UNPACK -> new FetchRanks(dataset(), origin(), store, redundancy(), List.of(1), new FetchMode(true, 2));
      case OPERATE -> new OperatorRequest(OperatorRequest.OperatorVerb.FLUSH, 12);
      case DRAIN -> DrainRequest.begin("n3", true);
      case DRAIN_MARK -> new DrainMark(true, false);
      case REPAIR -> new RepairRequest("n3", dataset().key(), List.of(1), true);
      case MEND -> new MendParts((RestoreRanks) request(NodeVerb.RESTORE),
          List.of(new RankPlan(1, Action.REBUILD, "", SET, List.of(new Member("n1", "n3"), new Member("n2", "n3")))));
      case SCRUB, PUBLISHED -> new ScrubAsk(true);
      case DROP -> new DropDatasets(List.of(dataset().key()));
      case SYNCED -> new DatasetSynced(RUN, dataset().key(), "n3", 4, "the disk is full");
      case PROTECT -> new ProtectRequest(ID, RUN, RUN, map(), groups());
      case TRY_LOCK -> new TryLock(prefix);
      case FLUSH_COPY -> new FlushWork(ID, 1, List.of(1), Optional.of(new Compression(3)), true, Optional.empty());
      case FLUSH_SHARE -> new ShareRequest("n3", ID, 1, 100, new Leases.Need(4, 1, 1000));
      case FLUSH_STATE -> new FlushQuestion(prefix, "ckpt-7", OptionalInt.of(ID), false);
      case OVERWRITE -> new OverwriteNotice(prefix, dataset(), RELATIVE + "a");
      case FLUSH_PUBLISH -> new FlushWork(ID, 1, List.of(1), Optional.empty(), false, Optional.of(TOKEN));
      case FLUSH_MAP -> new MapPartRequest(ID, prefix, 4, 1, 2, List.of("n2", "n3"), PublishedForm.FILES, TOKEN);
      case FLUSH_SIZES -> new CompressedSizesRequest(ID, List.of(1));
      case AGGREGATE_MEASURE -> new MeasureRequest(ID, 1, List.of(1));
      case AGGREGATE -> new AggregateRequest(
          ID, 1, List.of(1), true, new ContainerPlace("1.a", 1 << 20, 4096, 8192, false));
      case AGGREGATE_PUBLISH -> new PublishContainers(ID, 1, prefix, "1.a", 1, TOKEN);
      case AGGREGATE_ENTRIES -> new EntriesRequest(ID, List.of(1));
      case FLUSHED -> new FlushStateChange(new DatasetKey(ID, CREATED_US), FlushState.WANTED, true);
      case LAYOUT -> new LayoutRequest(ID, List.of(0, 1));
      case HEADER -> new HeaderRequest(ID, 1);
      case CHECKSUMS -> new ChecksumsRequest(ID, RUN, RUN, List.of(0), List.of(1));
    };
  }

  private Stream<Record> answers() {
    GatherResult result = new GatherResult(20, "rank 1 says so", Packed.NOTHING, List.of("a remark"));
    Inventory.Dataset held = new Inventory.Dataset(dataset(), origin(), store, redundancy(), FlushState.DONE,
        List.of(new Inventory.Held(0, SET, true, false)));
    return Stream.of(
        new ChecksumsReply(List.of(new RangeChecksums(0, 0, 100, List.of(-5))),
            List.of(new FinishedParity(1, RELATIVE + "x.rs", List.of(17)))),
        new MeasureReply(ID, 1, 4096), new MapPartWritten(2, 100, 60), new FlushWorked(ID, 1, 60),
        new EntriesReply(List.of(files(1)), List.of(512L), 1 << 20, 4096),
        new CompressedSizes(List.of(files(1)), List.of(List.of(60L, 0L))),
        new DraftsRenamed(ID, 1, true), new FlushReply(false, true, Optional.of("no space")), new LockTried(true),
        new ShareReply(Optional.of(new Leases.Share(2, 1 << 20, 500)), false),
        new OpenWaits("start: 3 of 4 ranks", List.of("rank 3"), List.of("a remark"), List.of(new FlushView(
            ID, "ckpt-7", "copying", 1, new FlushAmount(1, 2, 3), OptionalLong.of(5), Optional.of("no space"))),
            List.of(new HealView(dataset().key(), true, 43, "no room")),
            List.of(new DrainReply("n3", DrainState.STOPPED, 43, "no room")),
            Optional.of(new RunView(RUN, "job", prefix, 4, List.of("n1", "n2"))),
            Optional.of(new FormingView(0, "for 1 of 4 ranks: rank 3"))),
        new NodeEvents(7, List.of("{\"type\":\"evicted\"}")),
        new NodeSpace(List.of(new StoreSpace(store, 100, 1 << 30, 60))),
        new LayoutReply(List.of(new RankLayout(files(1), Optional.of(RELATIVE + "2_of_2_in_0.xor"))), store),
        new RanksRestored(List.of(new RankFailure(1, 17, "damaged"))),
        new Mended(List.of(new RankFailure(1, 17, "damaged")), List.of(new RankFailure(0, 17, "damaged"))),
        new ScrubView("n3", 86_400, 1 << 30, "reading", List.of(new ScrubView.ScrubbedDataset(
            ID, "ckpt-7", OptionalLong.of(CREATED_US), 4096, 100, 2, 1, List.of("files of rank 1: damaged")))),
        new PublishedView("n3", 604_800, List.of(new PublishedView.PublishedDataset(
            prefix, ID, "ckpt-7", 4096, OptionalLong.of(CREATED_US), true, "rank 1: damaged"))),
        new RedundancyHeader(dataset(), 4, SET, 512, files(1), List.of(files(0))),
        result, new PathsClaimed(List.of(new PathClaims.Taken(0, 1, "n2"))),
        new RunJoined("n1", 1, List.of(new JoinRefusal(2, 5, "rank 2 is here twice"))),
        new StoresChecked(Optional.of("n2: no such directory")),
        new Pulse(0, RUN, List.of(2), Optional.of(new LostRank(RUN, 0, 17, "rank 1 is lost"))),
        new NodeRunState(1, Optional.of(run()), 3, Optional.of(result), true, Optional.of("n4"), Optional.of(run()),
            RUN, true, List.of(new DatasetSynced(RUN, new DatasetKey(7, 8), "n1", 2, "disk full")),
            Optional.of(dataset())),
        new Grant(1, 3, List.of(new Span(5, Rule.NO)), Optional.of(Rule.yes("halt")), 2),
        new Withdrawn(2, 3, List.of(new Span(5, Rule.NO)), 1),
        new Inventory("n3", List.of(held), Set.of(prefix), true), new DrainReply("n3", DrainState.DRAINED, 100, ""),
        KnownUserFile.NOTHING,
        new KnownUserFile(RUN, Optional.of(new UserFile("/prefix/.scrconf", Optional.of(List.of("SCR_FLUSH=1"))))),
        new SettingsSources(Optional.of(new ConfText("user.conf", List.of("SCR_FLUSH=1"))), Map.of("USER", "u")));
  }

  /** Parts and results of gathers. */
  private Stream<Record> packed() {
    Part.Done done = new Part.Done(ID, 17, "damaged", true);
    return Stream.of(
        new Part.Start("ckpt-7", 1, 6, 6, CREATED_US, new Part.RoomEstimate(List.of(5), "no room")),
        new Part.Complete(ID, List.of(1), "said so", "no redundancy", new Totals(2, 100),
            List.of(SmallRank.described(files(2), new byte[9]))),
        new OutputWritten(new Totals(2, 100), List.of(SmallRank.described(files(2), new byte[9])), true),
        done, new Part.Named("ckpt-7", true, false), new Part.Have(true),
        new Part.Published(dataset(), new Totals(2, 100), 60, false, done), new Part.InvalidRanks(List.of(1)),
        new OutputStarted(dataset(), List.of(5), true), new OutputProtected(Optional.of("halt"), true, false),
        new Totals(2, 100), new RestartOffer(Optional.of(restartable()), Optional.of(List.of("a remark"))));
  }

  private static RankConfiguration configuration() {
    return new RankConfiguration(Map.of("SCR_FLUSH", "1"), List.of("SCR_DEBUG=1"));
  }

  private static DatasetDescriptor dataset() {
    return new DatasetDescriptor(ID, "ckpt-7", DatasetFlags.CHECKPOINT, 7, CREATED_US, new Job("u", "j", "1", "c"),
        new Totals(4, 4096));
  }

  private Origin origin() {
    return new Origin(prefix, 4, FlushDescriptor.packed(1 << 20, 4096));
  }

  private RedundancyDescriptor redundancy() {
    return new RedundancyDescriptor(checkpoint(), 2);
  }

  private CheckpointDescriptor checkpoint() {
    return new CheckpointDescriptor(0, true, 1, "POWER", store, Redundancy.of(Scheme.XOR, 4), false);
  }

  private static GroupDescriptors groups() {
    return new GroupDescriptors(sorted("n1", sorted("POWER", "p1")));
  }

  private static <V> SortedMap<String, V> sorted(String key, V value) {
    return new TreeMap<>(Map.of(key, value));
  }

  private static RankMap map() {
    return new RankMap(List.of("n1", "n2", "n3", "n4"));
  }

  private static RankFiles files(int rank) {
    return new RankFiles(rank, List.of(
        new FileMeta(RELATIVE + "a", RELATIVE + "x/a", 9, OptionalInt.of(-5),
            Optional.of(new FileMeta.Stamp(0640, 1L << 33, 5)), true),
        new FileMeta(RELATIVE + "b", RELATIVE + "x/b", 0, OptionalInt.empty())));
  }

  private static RunInfo.Restartable restartable() {
    return new RunInfo.Restartable(ID, CREATED_US, "ckpt-7", Optional.of(map()));
  }

  private RunInfo run() {
    Descriptors descriptors = new Descriptors(List.of(checkpoint()), OptionalInt.of(0),
        List.of(new StoreDescriptor(store, "NODE", 2, OptionalLong.of(1 << 30), false, StoreSync.EVICT)), groups(),
        new TreeMap<>(Map.of(0, new Compression(3))));
    RunPolicy policy = new RunPolicy(descriptors, CachePolicy.STANDARD,
        new FlushPolicy(1, true, 4, 1 << 20, new FlushDescriptor(Optional.empty(), Optional.of(new Compression(3)))),
        new FetchPolicy(true, false, true, false, false, Optional.of("ckpt-7")), new IntervalPolicy(1, 2, 3.5, true),
        new HaltPolicy(60, true),
        new LogPolicy(true, true, Optional.of(new Syslog("localhost", 514, "LOG_USER", "LOG_INFO", "scr")), true),
        Optional.of(new UserFile("/prefix/.scrconf", Optional.of(List.of("SCR_FLUSH=1")))));
    return new RunInfo(RUN, prefix, "job", map(), Optional.of(restartable()),
        new RunInfo.InitialState(6, 6, CREATED_US, List.of("a remark")), policy);
  }
}
