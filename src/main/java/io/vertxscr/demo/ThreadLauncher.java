package io.vertxscr.demo;

import io.vertxscr.examples.heat.Checkpointing;
import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatOptions;
import io.vertxscr.examples.heat.HeatRank;
import io.vertxscr.examples.heat.NeighbourLostException;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Ranks as platform threads of this process. To kill one is to interrupt its thread and to close its client. */
public final class ThreadLauncher implements RankLauncher {
  private final Clients clients;

  /** Opens the checkpoint system of a node for one rank; called on the rank's thread. */
  @FunctionalInterface
  public interface Clients {
    Checkpointing open(HeatOptions options, String node);
  }

  public ThreadLauncher(Clients clients) {
    this.clients = clients;
  }

  @Override
  public Running launch(HeatOptions options, Optional<String> node, Consumer<HeatEvent> listener) {
    RankThread rank = new RankThread(options, node, listener);
    rank.thread.start();
    return rank;
  }

  /** One rank. Its client is closed by its own thread at the end, or by its killer. */
  private final class RankThread implements Running {
    private final HeatOptions options;
    private final Optional<String> node;
    private final Consumer<HeatEvent> listener;
    private final CompletableFuture<End> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile Checkpointing client = Checkpointing.none();
    private volatile boolean killed;

    RankThread(HeatOptions options, Optional<String> node, Consumer<HeatEvent> listener) {
      this.options = options;
      this.node = node;
      this.listener = listener;
      thread = Thread.ofPlatform().name("rank-" + options.rank()).daemon().unstarted(this::runToEnd);
    }

    @Override
    public CompletableFuture<End> ended() {
      return ended;
    }

    @Override
    public void kill() {
      killed = true;
      thread.interrupt();
      // A collective call is not ended by the interrupt.
      client.close();
    }

    private void runToEnd() {
      Optional<String> failure = Optional.of("rank " + options.rank() + " ended by a bug");
      try {
        failure = run();
      } finally {
        ended.complete(new End(options.rank(), failure));
      }
    }

    private Optional<String> run() {
      try (Checkpointing opened = node.map(name -> clients.open(options, name)).orElseGet(Checkpointing::none)) {
        client = opened;
        if (killed) {
          opened.close();
        }
        new HeatRank(options, opened, listener).run();
        return Optional.empty();
      } catch (NeighbourLostException | ScrException e) {
        return Optional.of(e.getMessage());
      } catch (IOException e) {
        return Optional.of(e.toString());
      }
    }
  }
}
