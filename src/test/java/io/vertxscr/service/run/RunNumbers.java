package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.config.RunSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.flush.FlushView;
import io.vertxscr.protocol.node.restart.HealView;
import io.vertxscr.protocol.node.run.DatasetSynced;
import io.vertxscr.protocol.node.run.RestartOffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A leader's actions that restore nothing, and give every run the next number. */
class RunNumbers implements LeaderActions {
  private static final RunPolicy POLICY = Settings.load(Map.of(), Optional.empty()).policy();

  private long last;

  @Override
  public Future<RunSettings> configure(UserSettings user, RankMap map) {
    return Future.succeededFuture(new RunSettings(null, "", List.of(), List.of()));
  }

  @Override
  public Future<RunInfo> restore(String prefix, String jobName, RankMap map, RunSettings settings) {
    return Future.succeededFuture(
        new RunInfo(++last, prefix, jobName, map, Optional.empty(), RunInfo.InitialState.NOTHING, POLICY));
  }

  @Override
  public GatherHandler handler(Step step) {
    return (_, _) -> Future.succeededFuture(Packed.of(new RestartOffer(Optional.empty())));
  }

  @Override
  public List<String> remarks() {
    return List.of();
  }

  @Override
  public List<FlushView> flushes() {
    return List.of();
  }

  @Override
  public List<HealView> healings() {
    return List.of();
  }

  @Override
  public List<DrainReply> drains() {
    return List.of();
  }

  @Override
  public void drained(String node) {
    // Nothing is moved.
  }

  @Override
  public List<String> operations() {
    return List.of();
  }

  @Override
  public void tookOver(int nodes) {
    // Nobody has a share.
  }

  @Override
  public void begun(RunInfo info) {
    // Nothing is caught up.
  }

  @Override
  public void open(RunInfo info, boolean anew) {
    // Nothing is watched.
  }

  @Override
  public void bypassing(RunInfo info, DatasetDescriptor dataset) {
    // Nothing is written.
  }

  @Override
  public Future<Void> excused(RunInfo info) {
    return Future.succeededFuture();
  }

  @Override
  public void nodeLost(long run) {
    // Nothing is synced.
  }

  @Override
  public void over(long run, ScrException cause) {
    // The nodes are told.
  }

  @Override
  public void synced(DatasetSynced part) {
    // No phase has a barrier here.
  }

  @Override
  public void numbered(long run) {
    last = Math.max(last, run);
  }

  @Override
  public void resigned() {
    // Nothing is watched.
  }

  @Override
  public void resume() {
    // Nothing to flush.
  }
}
