package io.vertxscr.simulation;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.ScrClient;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Loses nodes behind a run, one after the other, and takes operators by their word.
 *
 * <p>What the status calls protected in full survives as many losses as if none had been before. What it does not call
 * so survives the loss of a node that it does not name as one without which the dataset is lost. Nobody replaces what
 * is lost until the next run, so healing has fewer nodes and groups each time.
 */
final class ClaimedLosses {
  private static final int MOST_LOSSES = 3;
  /** Healing begins, reads and makes what is missing, or says why not. */
  private static final int HEALING_MS = 40_000;

  private final World world;
  private final Scenario scenario;
  private final VirtualCluster cluster;

  /** What the status says of a dataset. */
  private record Claim(Attempt attempt, boolean isFull, boolean isLost, Set<String> fatal) {}

  ClaimedLosses(World world) {
    this.world = world;
    this.scenario = world.scenario;
    this.cluster = world.cluster;
  }

  /** Loses some of the nodes of a run that has ended; one stays at least. */
  void lose(List<String> hosts, Random random) {
    cluster.pass(Duration.ofMillis(random.nextBoolean() ? HEALING_MS : 0));
    for (int left = 1 + random.nextInt(MOST_LOSSES); left > 0; left--) {
      List<String> alive = hosts.stream().filter(cluster::isAlive).toList();
      if (alive.isEmpty()) {
        return;
      }
      String first = alive.get(random.nextInt(alive.size()));
      boolean alone = random.nextBoolean();
      List<String> struck = alone ? List.of(first) : List.copyOf(cluster.alive()).stream()
          .filter(node -> scenario.group(node).equals(scenario.group(first))).toList();
      if (struck.size() >= cluster.alive().size()) {
        return;
      }
      List<Claim> claims = claims(alive.stream().filter(node -> !struck.contains(node)).findFirst().orElse(first));
      claims.stream().filter(Claim::isFull).forEach(claim -> world.lostSince.get(claim.attempt()).clear());
      world.said("lost behind the run: " + struck + "; in full are "
          + claims.stream().filter(Claim::isFull).map(Claim::attempt).toList());
      struck.forEach(node -> world.lose(node, random.nextInt(8_000)));
      claims.stream().filter(claim -> alone && !claim.isLost() && !claim.fatal().contains(first))
          .forEach(claim -> keep(claim.attempt()));
      cluster.pass(Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(HEALING_MS) : HEALING_MS));
    }
  }

  /** It has lost no more than it survives. */
  private void keep(Attempt attempt) {
    Set<String> groups = world.lostSince.get(attempt);
    List.copyOf(groups).stream().sorted().skip(attempt.tolerance).forEach(groups::remove);
  }

  private List<Claim> claims(String node) {
    ScrClient client = cluster.client(node);
    try {
      Future<Map<String, Object>> answer = Future.fromCompletionStage(client.status());
      if (!world.time.runUntil(() -> answer.isComplete() || !cluster.isAlive(node), World.BOUND)) {
        world.stop(Invariant.EVERY_CALL_IS_ANSWERED, "the status of " + node);
      }
      return answer.succeeded() ? claims(new JsonObject(answer.result())) : List.of();
    } finally {
      client.close();
    }
  }

  private List<Claim> claims(JsonObject status) {
    List<Claim> claims = new ArrayList<>();
    for (Object each : status.getJsonObject("cluster").getJsonArray("datasets", new JsonArray())) {
      JsonObject said = (JsonObject) each;
      attempt(said.getString("prefix"), said.getInteger("dataset")).ifPresent(attempt -> claims.add(new Claim(attempt,
          said.getString("protection").equals("full"), said.getString("state").equals("LOST"),
          Set.copyOf(said.getJsonArray("fatalNodes").stream().map(String::valueOf).toList()))));
    }
    return claims;
  }

  private Optional<Attempt> attempt(String prefix, int id) {
    List<Attempt> found = Stream.of(world.main, world.guest).filter(program -> program.prefix().equals(prefix))
        .flatMap(program -> program.ledger().attempts().stream())
        .filter(attempt -> attempt.id == id && !attempt.isInPlace && world.lostSince.containsKey(attempt)).toList();
    return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
  }
}
