package io.vertxscr.system;

import static io.vertxscr.system.RawRank.initBody;
import static io.vertxscr.system.RawRank.ok;
import static io.vertxscr.system.RawRank.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Release;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.Verb;
import io.vertxscr.timing.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: every misuse is refused by name and changes nothing; valid calls succeed afterwards. */
class ApiMisuseTest extends EmbeddedTest {
  private static final Set<Verb> COLLECTIVE = EnumSet.of(Verb.START_OUTPUT, Verb.COMPLETE_OUTPUT, Verb.HAVE_RESTART,
      Verb.START_RESTART, Verb.COMPLETE_RESTART, Verb.CURRENT, Verb.DROP, Verb.DELETE, Verb.FINALIZE);
  private TestCluster cluster;

  @BeforeEach
  void open() throws Exception {
    cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n1", "n2");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private RawRank rank(int rank, String node) {
    return new RawRank(vertx, node, rank);
  }

  /** A run of one rank on each node. */
  private List<RawRank> pair() throws Exception {
    RawRank first = rank(0, "n1");
    RawRank second = rank(1, "n2");
    Future<JsonObject> waiting = first.init(2, cluster.prefix());
    ok(second.init(2, cluster.prefix()));
    ok(waiting);
    return List.of(first, second);
  }

  /** The leader knows of so many ranks; before, those who come later may be the first for it. */
  private void arrived(String ranks) throws Exception {
    Eventually.holds(ranks + " to arrive",
        () -> cluster.status("n1").getJsonObject("waits").getString("for").contains(ranks));
  }

  private static JsonObject both(List<RawRank> ranks, Verb verb, JsonObject fields) throws Exception {
    Future<JsonObject> first = ranks.get(0).call(verb, fields);
    ok(ranks.get(1).call(verb, fields));
    return ok(first);
  }

  private static void bothRefused(List<RawRank> ranks, Verb verb, Fault fault, String... named) throws Exception {
    Future<JsonObject> first = ranks.get(0).call(verb);
    refused(ranks.get(1).call(verb), fault, named);
    refused(first, fault, named);
  }

  private void write(RawRank rank, String name) throws Exception {
    Files.writeString(Path.of(ok(rank.route(name, cluster.prefix())).getString("file")), name);
  }

  private static JsonObject name(String name) {
    return new JsonObject().put("name", name);
  }

  private static JsonObject none() {
    return new JsonObject();
  }

  /** Every refusal names the call, the state and all that would be legal. */
  private static void refusesAllBut(RawRank rank, String state, Set<Verb> legal) throws Exception {
    for (Verb verb : COLLECTIVE) {
      if (!legal.contains(verb)) {
        List<String> named = new ArrayList<>(legal.stream().map(Verb::wireName).toList());
        named.add("rank 0 called " + verb.wireName() + " " + state + "; legal is ");
        refused(rank.call(verb), Fault.WRONG_STATE, named.toArray(String[]::new));
      }
    }
  }

  @Test
  void everyCallInEveryStateWhereItIsNotLegalIsRefusedAndTheRunGoesOn() throws Exception {
    RawRank rank = rank(0, "n1");
    for (Verb verb : COLLECTIVE) {
      refused(rank.numbered(verb, 1, none()), Fault.WRONG_STATE, "init");
    }
    refused(rank.route("f", cluster.prefix()), Fault.WRONG_STATE, "init");
    ok(rank.init(1, cluster.prefix()));
    Set<Verb> idle = EnumSet.of(
        Verb.HAVE_RESTART, Verb.START_OUTPUT, Verb.CURRENT, Verb.DROP, Verb.DELETE, Verb.FINALIZE);
    refusesAllBut(rank, "outside a phase, with no restart on offer", idle);
    ok(rank.route("f", cluster.prefix()));
    ok(rank.call(Verb.START_OUTPUT, name("step-1")));
    refusesAllBut(rank, "inside an output phase", EnumSet.of(Verb.COMPLETE_OUTPUT));
    write(rank, "a/file");
    ok(rank.call(Verb.COMPLETE_OUTPUT));
    refusesAllBut(rank, "outside a phase, with no restart on offer", idle);
    assertThat(ok(rank.call(Verb.HAVE_RESTART)).getBoolean("available")).isFalse();
    ok(rank.call(Verb.FINALIZE));
    refusesAllBut(rank, "after finalize", EnumSet.noneOf(Verb.class));
    refused(rank.route("f", cluster.prefix()), Fault.WRONG_STATE, "rank 0 called route after finalize", "init");
    assertThat(cluster.record("n1", 1).descriptor().totals().files()).isEqualTo(1);

    RawRank next = rank(0, "n1");
    ok(next.init(1, cluster.prefix()));
    assertThat(ok(next.call(Verb.HAVE_RESTART)).getString("name")).isEqualTo("step-1");
    ok(next.route("f", cluster.prefix()));
    assertThat(ok(next.call(Verb.START_RESTART)).getString("name")).as("the same").isEqualTo("step-1");
    refusesAllBut(next, "inside a restart", EnumSet.of(Verb.COMPLETE_RESTART));
    ok(next.call(Verb.COMPLETE_RESTART));
    ok(next.call(Verb.FINALIZE));
  }

  @Test
  void aRankThatIsNotInTheRunAndARankOfAnotherConnectionAreRefused() throws Exception {
    List<RawRank> ranks = pair();
    RawRank stranger = rank(7, "n1");
    refused(stranger.numbered(Verb.HAVE_RESTART, 1, none()), Fault.WRONG_STATE, "run 1 is over");
    long run = ok(ranks.getFirst().init(2, cluster.prefix())).getLong("run");
    JsonObject inThisRun = none().put("run", run);
    refused(stranger.numbered(Verb.HAVE_RESTART, 1, inThisRun), Fault.UNKNOWN_RANK, "rank 7");
    refused(rank(0, "n1").numbered(Verb.HAVE_RESTART, 1, inThisRun), Fault.DUPLICATE_RANK, "rank 0");
    refused(rank(0, "n2").numbered(Verb.HAVE_RESTART, 1, inThisRun), Fault.UNKNOWN_RANK, "rank 0", "[1]");
    both(ranks, Verb.FINALIZE, none());
  }

  @Test
  void duplicateRanksAreReportedToAllAndValidCallsContinue() throws Exception {
    for (String node : List.of("n1", "n2")) {
      Future<JsonObject> waiting = rank(0, "n1").init(2, cluster.prefix());
      arrived("1 of 2");
      refused(rank(0, node).init(2, cluster.prefix()), Fault.DUPLICATE_RANK, "rank 0", "n1", node);
      refused(waiting, Fault.DUPLICATE_RANK, "rank 0", "n1", node);
    }
    both(pair(), Verb.FINALIZE, none());
  }

  @Test
  void ranksThatDisagreeOnSizePrefixOrJobNameAllHearItAndRightCallsGoOn() throws Exception {
    String prefix = cluster.prefix().toString();
    for (String node : List.of("n1", "n2")) {
      for (JsonObject odd : List.of(initBody(1, 3, prefix, "test"), initBody(1, 2, prefix + "2", "test"),
          initBody(1, 2, prefix, "other"))) {
        Future<JsonObject> waiting = rank(0, "n1").init(2, cluster.prefix());
        arrived("1 of 2");
        List<String> named = List.of("rank 1", node, odd.getInteger("ranks") == 3 ? "3" : odd.getString(
            odd.getString("jobName").equals("test") ? "prefix" : "jobName"));
        refused(rank(1, node).init(odd), Fault.RANKS_DISAGREE, named.toArray(String[]::new));
        refused(waiting, Fault.RANKS_DISAGREE, named.toArray(String[]::new));
      }
    }
    both(pair(), Verb.FINALIZE, none());
  }

  @Test
  void ranksThatDisagreeOnNameFlagsOrCallAllHearItAndNothingChanges() throws Exception {
    List<RawRank> ranks = pair();
    Future<JsonObject> first = ranks.get(0).call(Verb.START_OUTPUT, name("a"));
    refused(ranks.get(1).call(Verb.START_OUTPUT, name("b")), Fault.RANKS_DISAGREE, "\"a\"", "\"b\"", "n1", "n2");
    refused(first, Fault.RANKS_DISAGREE, "\"a\"", "\"b\"");
    first = ranks.get(0).call(Verb.START_OUTPUT, name("a"));
    refused(ranks.get(1).call(Verb.START_OUTPUT, name("a").put("flags", 3)), Fault.RANKS_DISAGREE, "flags 3");
    refused(first, Fault.RANKS_DISAGREE, "flags 1");
    first = ranks.get(0).call(Verb.START_OUTPUT, name("a"));
    refused(ranks.get(1).call(Verb.FINALIZE), Fault.RANKS_DISAGREE, "start-output", "finalize");
    refused(first, Fault.RANKS_DISAGREE, "start-output", "finalize");
    assertThat(both(ranks, Verb.START_OUTPUT, name("a")).getInteger("dataset")).isEqualTo(1);
    write(ranks.get(0), "f0");
    both(ranks, Verb.COMPLETE_OUTPUT, none());
    both(ranks, Verb.FINALIZE, none());
  }

  @Test
  void ranksOfOneNodeThatDisagreeAllHearItToo() throws Exception {
    RawRank a = rank(0, "n1");
    RawRank b = rank(1, "n1");
    Future<JsonObject> waiting = a.init(2, cluster.prefix());
    ok(b.init(2, cluster.prefix()));
    ok(waiting);
    Future<JsonObject> first = a.call(Verb.START_OUTPUT, name("a"));
    refused(b.call(Verb.HAVE_RESTART), Fault.RANKS_DISAGREE, "rank 0", "rank 1", "have-restart");
    refused(first, Fault.RANKS_DISAGREE, "rank 0", "rank 1");
    both(List.of(a, b), Verb.FINALIZE, none());
  }

  @Test
  void aSecondRunWhileOneIsActiveIsRefusedByName() throws Exception {
    cluster.nodes().start("n3");
    List<RawRank> ranks = pair();
    refused(rank(5, "n1").init(6, cluster.prefix()), Fault.RUN_IN_PROGRESS, "2 ranks", cluster.prefix().toString());
    refused(rank(0, "n3").init(1, cluster.prefix()), Fault.RUN_IN_PROGRESS, "n3", "One run at a time");
    refused(rank(0, "n1").init(2, cluster.prefix()), Fault.DUPLICATE_RANK, "rank 0");
    both(ranks, Verb.FINALIZE, none());
    RawRank next = rank(0, "n3");
    ok(next.init(1, cluster.prefix()));
    ok(next.call(Verb.FINALIZE));
  }

  @Test
  void aPathOutsideThePrefixIsRefusedAlsoThroughDotsAndLinks() throws Exception {
    Path outside = Files.createDirectories(directory.resolve("outside"));
    Files.createSymbolicLink(cluster.prefix().resolve("link"), outside);
    RawRank rank = rank(0, "n1");
    ok(rank.init(1, cluster.prefix()));
    ok(rank.call(Verb.START_OUTPUT, name("a")));
    for (String path : List.of("../x", "a/../../x", "/etc/x", outside + "/x", "link/x", "link/../../x")) {
      refused(rank.route(path, cluster.prefix()), Fault.OUTSIDE_PREFIX, path.replaceAll(".*/", ""));
    }
    refused(rank.route("x", outside), Fault.OUTSIDE_PREFIX, "x");
    write(rank, "a/../inside");
    ok(rank.call(Verb.COMPLETE_OUTPUT));
    assertThat(cluster.record("n1", 1).ranks().getFirst().files().files()).singleElement()
        .satisfies(file -> assertThat(file.path()).isEqualTo("inside"));
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void invalidFlagsAndNamesAreRefusedAndAMissingNameIsDerivedFromTheId() throws Exception {
    RawRank rank = rank(0, "n1");
    ok(rank.init(1, cluster.prefix()));
    for (int flags : List.of(0, -1, 4, 6, 8)) {
      JsonObject fields = name("a").put("flags", flags);
      refused(rank.numbered(Verb.START_OUTPUT, 1, fields), Fault.BAD_REQUEST, "flags " + flags);
    }
    for (String bad : List.of("", "x".repeat(1024), "a\nb", "a\0b")) {
      refused(rank.numbered(Verb.START_OUTPUT, 1, name(bad)), Fault.BAD_REQUEST, "'name'", "1 to 1023");
    }
    String longest = "x".repeat(1023);
    for (int flags : List.of(1, 2, 3)) {
      JsonObject given = flags == 2 ? none() : name(longest);
      JsonObject started = ok(rank.call(Verb.START_OUTPUT, given.put("flags", flags)));
      assertThat(started.getString("name")).isEqualTo(flags == 2 ? "scr.dataset.2" : longest);
      ok(rank.call(Verb.COMPLETE_OUTPUT));
    }
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void routeOutsideAPhaseAnswersTheNameAsItIsWhereverItLeads() throws Exception {
    RawRank rank = rank(0, "n1");
    JsonObject run = ok(rank.init(1, cluster.prefix()));
    assertThat(run.getString("release")).isEqualTo(Release.NAME).isNotBlank();
    for (String name : List.of("f", "a/../f", "../../f", "/etc/x", "./f")) {
      assertThat(ok(rank.route(name, directory)).getString("file")).isEqualTo(name);
    }
    assertThat(cluster.prefix()).isDirectoryNotContaining(path -> !path.endsWith(".scr"));
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void routeInAnOutputTakesRelativeNamesFromTheWorkingDirectoryOfTheMoment() throws Exception {
    Path deep = Files.createDirectories(cluster.prefix().resolve("deep"));
    RawRank rank = rank(0, "n1");
    ok(rank.init(1, cluster.prefix()));
    ok(rank.call(Verb.START_OUTPUT, name("a")));
    for (Path from : List.of(cluster.prefix(), deep)) {
      Files.writeString(Path.of(ok(rank.route("same", from)).getString("file")), from.toString());
    }
    Files.writeString(Path.of(ok(rank.route(deep + "/../absolute", directory)).getString("file")), "absolute");
    ok(rank.call(Verb.COMPLETE_OUTPUT));
    assertThat(cluster.record("n1", 1).ranks().getFirst().files().files()).extracting(FileMeta::path)
        .containsExactly("same", "deep/same", "absolute");
    ok(rank.call(Verb.FINALIZE));
    RawRank next = rank(0, "n1");
    ok(next.init(1, cluster.prefix()));
    ok(next.call(Verb.HAVE_RESTART));
    ok(next.call(Verb.START_RESTART));
    assertThat(Path.of(ok(next.route("same", deep)).getString("file"))).hasContent(deep.toString());
    assertThat(Path.of(ok(next.route("same", cluster.prefix())).getString("file")))
        .hasContent(cluster.prefix().toString());
    assertThat(Path.of(ok(next.route("/nowhere/absolute", directory)).getString("file"))).hasContent("absolute");
    ok(next.call(Verb.COMPLETE_RESTART));
    ok(next.call(Verb.FINALIZE));
  }

  @Test
  void aDatasetThatOneRankCallsInvalidIsDiscardedForAllAndThePreviousStays() throws Exception {
    List<RawRank> ranks = pair();
    both(ranks, Verb.START_OUTPUT, name("good"));
    write(ranks.get(0), "good/f");
    both(ranks, Verb.COMPLETE_OUTPUT, none());
    both(ranks, Verb.START_OUTPUT, name("bad"));
    Future<JsonObject> first = ranks.get(0).call(Verb.COMPLETE_OUTPUT);
    refused(ranks.get(1).call(Verb.COMPLETE_OUTPUT, none().put("valid", false)), Fault.NOT_VALID, "rank 1", "n2");
    refused(first, Fault.NOT_VALID, "rank 1", "n2");
    both(ranks, Verb.START_OUTPUT, name("unwritten"));
    ok(ranks.get(1).route("deep/never", cluster.prefix()));
    bothRefused(ranks, Verb.COMPLETE_OUTPUT, Fault.NOT_VALID, "rank 1", "n2", "deep/never");
    both(ranks, Verb.FINALIZE, none());
    assertThat(cluster.held("n1")).containsExactly(1);
    Eventually.holds("garbage to go", () -> !Files.exists(cluster.datasetDirectory("n2", 3)));
  }

  @Test
  void filesOfOneBaseNameStayApartAndAreFoundAgainByPathButNotByTheirBaseName() throws Exception {
    RawRank rank = rank(0, "n1");
    ok(rank.init(1, cluster.prefix()));
    ok(rank.call(Verb.START_OUTPUT, name("a")));
    for (String path : List.of("x/same", "y/same", "z/other")) {
      write(rank, path);
      write(rank, path);
    }
    ok(rank.call(Verb.COMPLETE_OUTPUT));
    ok(rank.call(Verb.FINALIZE));
    RawRank next = rank(0, "n1");
    ok(next.init(1, cluster.prefix()));
    ok(next.call(Verb.HAVE_RESTART));
    ok(next.call(Verb.START_RESTART));
    for (String path : List.of("x/same", "y/same", "z/other")) {
      assertThat(Path.of(ok(next.route(path, cluster.prefix())).getString("file"))).hasContent(path);
    }
    assertThat(Path.of(ok(next.route("other", directory)).getString("file"))).hasContent("z/other");
    refused(next.route("same", directory), Fault.NO_SUCH_FILE, "ambiguous", "x/same", "y/same");
    refused(next.route("nowhere", cluster.prefix()), Fault.NO_SUCH_FILE, "rank 0", "'nowhere'", "x/same");
    ok(next.call(Verb.COMPLETE_RESTART));
    ok(next.call(Verb.FINALIZE));
  }

  @Test
  void aRankFindsItsOwnFilesAndNotThoseOfOthers() throws Exception {
    List<RawRank> ranks = pair();
    both(ranks, Verb.START_OUTPUT, name("a"));
    for (RawRank rank : ranks) {
      write(rank, "of-rank-" + ranks.indexOf(rank));
    }
    both(ranks, Verb.COMPLETE_OUTPUT, none());
    both(ranks, Verb.FINALIZE, none());
    ranks.forEach(RawRank::close);
    List<RawRank> next = pair();
    both(next, Verb.HAVE_RESTART, none());
    both(next, Verb.START_RESTART, none());
    for (RawRank rank : next) {
      int own = next.indexOf(rank);
      assertThat(Path.of(ok(rank.route("of-rank-" + own, cluster.prefix())).getString("file")))
          .hasContent("of-rank-" + own);
      refused(rank.route("of-rank-" + (1 - own), cluster.prefix()), Fault.NO_SUCH_FILE, "rank " + own);
    }
    both(next, Verb.COMPLETE_RESTART, none());
    both(next, Verb.FINALIZE, none());
  }

  @Test
  void aRepeatedCallHasTheSameAnswerAndDoesNothingTwice() throws Exception {
    List<RawRank> ranks = pair();
    JsonObject started = both(ranks, Verb.START_OUTPUT, name("a"));
    assertThat(ok(ranks.get(0).again(Verb.START_OUTPUT, name("a")))).isEqualTo(started);
    refused(ranks.get(0).numbered(Verb.COMPLETE_OUTPUT, 3, none()), Fault.BAD_REQUEST, "rank 0", "call 3", "call 1");
    Future<JsonObject> waiting = ranks.get(0).call(Verb.COMPLETE_OUTPUT);
    Future<JsonObject> asked = ranks.get(0).again(Verb.COMPLETE_OUTPUT, none());
    ok(ranks.get(1).call(Verb.COMPLETE_OUTPUT));
    assertThat(ok(asked)).isEqualTo(ok(waiting));
    assertThat(ok(ranks.get(0).again(Verb.COMPLETE_OUTPUT, none()))).isEqualTo(ok(waiting));
    both(ranks, Verb.FINALIZE, none());
    assertThat(cluster.held("n1")).containsExactly(1);
  }

  @Test
  void aClientThatClosesWithoutFinalizeIsALostRankForAllWhoWait() throws Exception {
    List<RawRank> ranks = pair();
    Future<JsonObject> waiting = ranks.get(0).call(Verb.START_OUTPUT, name("a"));
    ranks.get(1).close();
    refused(waiting, Fault.RANK_LOST, "rank 1", "n2");
    refused(ranks.get(0).call(Verb.HAVE_RESTART), Fault.RANK_LOST, "rank 1");
    both(pair(), Verb.FINALIZE, none());
  }

  @Test
  void aClientThatClosesWhileTheRunFormsIsALostRankForThoseWhoHaveArrived() throws Exception {
    RawRank first = rank(0, "n1");
    RawRank second = rank(1, "n2");
    Future<JsonObject> waiting = first.init(3, cluster.prefix());
    Future<JsonObject> gone = second.init(3, cluster.prefix());
    arrived("2 of 3");
    second.close();
    refused(waiting, Fault.RANK_LOST, "rank 1", "n2");
    assertThat(gone.failed()).isTrue();
    both(pair(), Verb.FINALIZE, none());
  }
}
