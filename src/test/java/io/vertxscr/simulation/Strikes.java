package io.vertxscr.simulation;

import io.vertxscr.format.FilemapFile;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.simulation.SimulatedDisk.Kept;
import io.vertxscr.simulation.Trouble.Kind;
import io.vertxscr.storage.userspace.UserspacePath;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The faults of a scenario, where they strike. */
final class Strikes {
  private static final int ROT_DELAY_MS = 20;
  /** A job begins within this time. */
  private static final int MOST_BEHIND_MS = 5;
  /** A lease of an object store lasts 20 s, and longer than that is what a node then stands in half of the cases. */
  private static final int STANDS_LONGER = 5;

  private final World world;
  private final Random random;
  private final VirtualTime time;
  private final Loop script;
  private final SimulatedDisk shared;
  private final VirtualCluster cluster;
  private final Map<String, Machine> machines;
  private final Program main;
  private final Steps steps;
  /** What survives the loss of power that comes behind the next dataset; empty: none comes. */
  private Optional<Kept> keptBehind = Optional.empty();

  Strikes(World world) {
    this.world = world;
    this.random = world.random;
    this.time = world.time;
    this.script = world.script;
    this.shared = world.shared;
    this.cluster = world.cluster;
    this.machines = world.machines;
    this.main = world.main;
    this.steps = world.steps;
  }

  void strikes(Trouble trouble) {
    world.faultsEndNs = Math.max(world.faultsEndNs,
        time.nowNs() + Math.max(0, trouble.kind() == Kind.CLOCK ? 0 : trouble.forMs()) * World.NS_PER_MS);
    world.said("fault " + trouble);
    Duration some = Duration.ofMillis(trouble.forMs());
    List<String> struck = trouble.nodes().stream().filter(cluster::isAlive).toList();
    if (struck.isEmpty()) {
      return;
    }
    String one = struck.getFirst();
    switch (trouble.kind()) {
      case RANK_DIES -> world.ranks.stream().filter(rank -> rank.node.equals(one)).findFirst().ifPresent(Rank::dies);
      case DAEMON_DIES -> world.kill(one, 0);
      case DAEMON_DIES_WITHIN -> world.machine(one).strikeAt(trouble.number(), () -> world.kill(one, 0));
      case DAEMON_STAYS_AWAY -> {
        if (trouble.number() == 0) {
          struck.forEach(this::staysAway);
        } else {
          world.machine(one).strikeAt(trouble.number(), () -> staysAway(one));
        }
      }
      case NODE_IS_LOST -> struck.forEach(node -> world.lose(node, random.nextInt(8_000)));
      case NODE_IS_LOST_WITHIN -> {
        struck.forEach(world::copyLost);
        world.machine(one).strikeAt(trouble.number(),
            () -> struck.forEach(node -> world.lose(node, random.nextInt(8_000))));
      }
      case NODE_LOSES_POWER -> struck.forEach(node -> {
        world.copyLost(node);
        world.kill(node, random.nextInt(8_000));
        world.machine(node).disk.powerLoss(trouble.kept(), random);
        world.machine(node).boots();
        world.stores.losesPower(node);
        shared.powerLossOf(node, trouble.kept(), random);
      });
      case ALL_LOSE_POWER -> allLosePower(trouble.kept());
      case ALL_LOSE_POWER_BEHIND -> keptBehind = Optional.of(trouble.kept());
      case BYTE_ROTS -> struck.forEach(node -> rot(node, world.ranks));
      case ALL_LOSE_POWER_WITHIN -> world.machine(one).strikeAt(trouble.number(), () -> {
        strikesNow(trouble);
        Stream.of(main, world.guest).forEach(program -> program.inspection().look());
        losePower(trouble.kept());
      });
      case PAUSE -> pause(one, some);
      case PAUSE_WITHIN -> world.machine(one).strikeAt(trouble.number(), () -> {
        strikesNow(trouble);
        if (!world.machine(one).stands(some, true)) {
          pause(one, some);
        }
      });
      case THREAD_STANDS -> world.machine(one).strikeAt(trouble.number(), () -> {
        strikesNow(trouble);
        world.machine(one).standNext(some);
      });
      case MESSAGE_IS_LOST -> steps.strikeMessage(one, trouble.number(), _ -> {
        strikesNow(trouble);
        return Network.LOST;
      });
      case MESSAGE_IS_LATE -> steps.strikeMessage(one, trouble.number(), arrivals -> {
        strikesNow(trouble);
        return new int[] {arrivals[0] + trouble.forMs()};
      });
      case MESSAGE_IS_REPEATED -> steps.strikeMessage(one, trouble.number(), arrivals -> {
        strikesNow(trouble);
        return new int[] {arrivals[0], arrivals[0] + trouble.forMs()};
      });
      case CLOCK -> cluster.clockAhead(one, some);
      case CUT, CUT_ONE_WAY -> cut(trouble, some);
      case BAD_LINKS -> world.badLinksUntilNs = time.nowNs() + some.toNanos();
      case DISK_FAILS -> world.machine(one).failAt(trouble.number(), false, trouble.failure());
      case DISK_IS_FULL -> {
        fill(world.machine(one).disk, some);
        world.fullUntilNs = Math.max(world.fullUntilNs, time.nowNs() + some.toNanos());
      }
      case DISK_HANGS -> {
        cluster.hangStorage(one, true);
        cluster.after(one, some, name -> cluster.hangStorage(name, false));
      }
      case PREFIX_FAILS -> world.machine(one).failAt(trouble.number(), true, trouble.failure());
      case PREFIX_IS_AWAY -> {
        world.machine(one).failPrefix(some);
        world.prefixAwayUntilNs = Math.max(world.prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_IS_FULL -> {
        if (world.store.isEmpty()) {
          fill(shared, some);
          return;
        }
        struck.forEach(node -> world.machine(node).failPrefix(some));
        world.prefixAwayUntilNs = Math.max(world.prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_HANGS -> {
        world.machine(one).hangPrefix(some);
        world.prefixAwayUntilNs = Math.max(world.prefixAwayUntilNs, time.nowNs() + some.toNanos());
      }
      case PREFIX_ROTS -> rotPrefix(world.ranks);
      case PREFIX_LAGS -> struck.forEach(name -> world.machine(name).lagPrefix(some));
      case LOCK_IS_LOST -> world.machine(one).loseLockAt(
          trouble.number(), world.store.isPresent() ? some.multipliedBy(STANDS_LONGER) : some);
    }
  }

  private void staysAway(String node) {
    world.kill(node, 0);
    world.away.add(node);
    world.copyLost(node);
  }

  /** A fault that came at a step, and lasts from then on. */
  private void strikesNow(Trouble trouble) {
    world.said(trouble.kind() + " strikes " + trouble.nodes());
    world.faultsEndNs = Math.max(world.faultsEndNs, time.nowNs() + trouble.forMs() * World.NS_PER_MS);
  }

  private void pause(String name, Duration some) {
    cluster.pause(name);
    cluster.after(name, some, cluster::resume);
  }

  private void allLosePower(Kept kept) {
    world.checkPrefix();
    losePower(kept);
  }

  private void losePower(Kept kept) {
    List.copyOf(cluster.alive()).forEach(name -> {
      world.copyLost(name);
      world.kill(name, 0);
      world.machine(name).disk.powerLoss(kept, random);
      world.machine(name).boots();
      world.stores.losesPower(name);
    });
    world.rival.ifPresent(other -> other.losePower(kept));
    shared.powerLoss(kept, random);
  }

  /** A rank has heard that a dataset is complete. Others of its nodes may not have. */
  void losePowerBehind() {
    keptBehind.ifPresent(kept -> {
      keptBehind = Optional.empty();
      script.after(random.nextInt(MOST_BEHIND_MS), () -> {
        world.said("all lose their power");
        world.faultsEndNs = Math.max(world.faultsEndNs, time.nowNs());
        allLosePower(kept);
      });
    });
  }

  /** The first checkpoint is in the caches. */
  void shrink(double room) {
    long largest =
        machines.values().stream().mapToLong(machine -> machine.files.bytes(Scenario.CACHES)).max().orElse(0);
    world.roomBytes = OptionalLong.of((long) (room * largest));
    machines.values().forEach(machine -> machine.files.shrink(Scenario.CACHES, world.roomBytes.getAsLong()));
    world.said("caches have " + world.roomBytes.getAsLong() + " bytes from now on");
  }

  private void fill(SimulatedDisk disk, Duration some) {
    disk.fill(true);
    script.after(some.toMillis(), () -> disk.fill(false));
  }

  private void cut(Trouble trouble, Duration some) {
    Set<String> these = new TreeSet<>(trouble.nodes());
    Set<String> others = new TreeSet<>(machines.keySet());
    others.removeAll(these);
    cluster.members().cut(these, others);
    if (trouble.kind() == Kind.CUT) {
      cluster.members().cut(others, these);
    }
    script.after(some.toMillis(), () -> {
      cluster.trace().note("the cut heals");
      cluster.members().heal(these, others);
      if (trouble.kind() == Kind.CUT) {
        cluster.members().heal(others, these);
      }
    });
  }

  /**
   * Not in what is being written, nor in what nobody has read yet: before its checksum is known, nobody could tell. Nor
   * in a file that is sealed, unless a restart reads those, too, nor between the check of a file and its read by a
   * rank: the scrub, which is not simulated, or the rank finds that.
   */
  private void rot(String node, List<Rank> running) {
    if (running.stream().anyMatch(Rank::isOver)) {
      return;
    }
    if (running.stream().anyMatch(rank -> !rank.isOver() && !rank.hasRestarted)) {
      script.after(ROT_DELAY_MS, () -> rot(node, running));
      return;
    }
    List<SimulatedDisk.Inode> files = new ArrayList<>();
    collect(world.machine(node).disk.root(), false, files);
    Set<Long> trusted = new HashSet<>();
    trusted(world.machine(node).disk.root(), trusted);
    files.removeIf(file -> file.modifiedNs >= world.acknowledgedNs || trusted.contains(file.number));
    if (!files.isEmpty()) {
      SimulatedDisk.Inode file = files.get(random.nextInt(files.size()));
      file.rot(random.nextInt(file.size()));
      world.copyLost(node);
      Stream.of(main, world.guest).flatMap(program -> program.ledger().attempts().stream())
          .filter(attempt -> attempt.cached.stream().anyMatch(path -> path.getFileSystem()
              == world.machine(node).files && world.machine(node).files.find((UserspacePath) path) == file))
          .forEach(attempt -> attempt.rottenOn.add(world.scenario.group(node)));
    }
  }

  /** Inodes of files that a restart does not read, by the filemaps. */
  private void trusted(SimulatedDisk.Inode directory, Set<Long> inodes) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        trusted(entry, inodes);
      } else if (name.endsWith(".scrfilemap")) {
        FilemapFile.decode(entry.content()).ranks().forEach(rank -> {
          rank.files().files().forEach(file -> file.unread().ifPresent(known -> inodes.add(known.inode())));
          if (!world.scenario.readsAll()) {
            rank.seals().files().forEach(sealed -> sealed.ifPresent(seal -> inodes.add(seal.inode())));
          }
        });
      }
    });
  }

  /** Not between the look of a restart at the prefix directory and the reads of its ranks there. */
  void rotPrefix(List<Rank> running) {
    if (running.stream().anyMatch(rank -> !rank.isOver() && !rank.hasRestarted)) {
      script.after(ROT_DELAY_MS, () -> rotPrefix(running));
      return;
    }
    main.inspection().rotting(random.nextInt(1 << 20)).ifPresent(rotting -> {
      Path path = rotting.files().get(random.nextInt(rotting.files().size()));
      if (world.view.rot(path, random)) {
        rotting.attempt().isRotten = true;
        world.said(path + " of " + rotting.attempt() + " rots");
      }
    });
  }

  private static void collect(SimulatedDisk.Inode directory, boolean inCache, List<SimulatedDisk.Inode> files) {
    directory.entries.forEach((name, entry) -> {
      if (entry.isDirectory()) {
        collect(entry, inCache || name.equals("cache") || name.equals(Scenario.SECOND), files);
      } else if (inCache && entry.size() > 0) {
        files.add(entry);
      }
    });
  }

  boolean isDisarmed() {
    return keptBehind.isEmpty() && !steps.isArmed() && machines.values().stream().noneMatch(Machine::isArmed);
  }

  /** Nothing more of what has been set up strikes. */
  void disarm() {
    machines.values().forEach(Machine::disarm);
    steps.disarm();
    steps.count(false);
    keptBehind = Optional.empty();
  }
}
