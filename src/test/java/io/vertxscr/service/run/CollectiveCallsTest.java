package io.vertxscr.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.Settings;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.format.Samples;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.LeaderlessBus;
import io.vertxscr.service.Loop;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.service.run.CollectiveCalls.Caller;
import io.vertxscr.service.run.CollectiveCalls.StepReplies;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: behind a call that has failed, rank and node agree on the next number. As docs/messages.md says. */
class CollectiveCallsTest {
  private static final long RUN = 7;
  private static final String CLIENT = "bridge:1";

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();
  private final RunService runs = new RunService(loop, new Nobody(), new OneNode(), new Epoch(new OneNode()),
      AdmittedPrefixes.of(loop, "/p"));
  /** What the next steps end with; empty: well. */
  private final Queue<Optional<Fault>> ends = new ArrayDeque<>();
  private final CollectiveCalls calls =
      new CollectiveCalls(loop, "n1", runs, Map.of(Step.DELETE, this::step, Step.COMPLETE_OUTPUT, this::step));

  private static final class Nobody extends LeaderlessBus {
    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      return Future.failedFuture(new ScrException(Fault.BUSY, "nobody answers"));
    }
  }

  private Future<StepReplies> step(LocalRun run, List<RankCall> ranks) {
    return ends.remove().<Future<StepReplies>>map(fault -> Future.failedFuture(new ScrException(fault, "trouble")))
        .orElseGet(() -> Future.succeededFuture(StepReplies.same(new DoneReply())));
  }

  private LocalRun begin() {
    runs.init(new InitRequest(0, 1, "/p", "job"), CLIENT);
    runs.begin(new RunInfo(RUN, "/p", "job", new RankMap(List.of("n1")), Optional.empty(),
        RunInfo.InitialState.NOTHING, Settings.load(Map.of(), Optional.empty()).policy()));
    return runs.run().orElseThrow();
  }

  private Future<Object> call(long number, Step step) {
    return time.await(loop.call(() -> calls.call(new Caller(RUN, 0, number, CLIENT), step, "ckpt", 0, true)));
  }

  @ParameterizedTest
  @EnumSource(names = {"BUSY", "STOPPING", "TIMEOUT", "BAD_REQUEST"})
  void aFailureThatUsesNoNumberLeavesItToTheNextCall(Fault fault) {
    begin();
    ends.addAll(List.of(Optional.empty(), Optional.of(fault), Optional.empty()));
    assertThat(call(1, Step.DELETE).succeeded()).isTrue();
    assertThat(Fault.of(call(2, Step.DELETE).cause())).isEqualTo(fault);
    assertThat(call(2, Step.DELETE).succeeded()).as("the same call again").isTrue();
    assertThat(call(2, Step.DELETE).succeeded()).as("a repeated one").isTrue();
    assertThat(ends).isEmpty();
  }

  @Test
  void anyOtherFailureUsesIt() {
    begin();
    ends.addAll(List.of(Optional.of(Fault.IO), Optional.empty()));
    assertThat(Fault.of(call(1, Step.DELETE).cause())).isEqualTo(Fault.IO);
    assertThat(Fault.of(call(1, Step.DELETE).cause())).as("a repeated one").isEqualTo(Fault.IO);
    assertThat(call(2, Step.DELETE).succeeded()).isTrue();
  }

  /** The phase is over on the node: a rank that took it for open could never begin another one. */
  @ParameterizedTest
  @EnumSource(names = {"BUSY", "STOPPING", "TIMEOUT", "BAD_REQUEST"})
  void aPhaseThatHasFailedIsOverForItsRanksToo(Fault fault) {
    LocalRun run = begin();
    run.session(RUN, 0, CLIENT).state(SessionState.IDLE.after(Step.START_OUTPUT, false));
    run.open(OpenDataset.output(Samples.descriptor(3, "c"), Path.of("/p"), Path.of("/cache")));
    ends.addAll(List.of(Optional.of(fault), Optional.empty()));
    Future<Object> failed = call(1, Step.COMPLETE_OUTPUT);
    assertThat(run.open()).isNull();
    assertThat(Fault.of(failed.cause())).isEqualTo(Fault.IO);
    assertThat(failed.cause()).hasMessage("trouble");
    assertThat(call(2, Step.DELETE).succeeded()).isTrue();
  }
}
