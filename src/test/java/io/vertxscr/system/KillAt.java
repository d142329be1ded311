package io.vertxscr.system;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Kills a node at an exact moment: when a message of some kind is sent for the n-th time. The message is held back
 * until the node is dead, and then goes on its way.
 */
final class KillAt implements AutoCloseable {
  private final Vertx vertx;
  private final Handler<DeliveryContext<Object>> interceptor = this::sent;
  private final AtomicInteger left;
  private final AtomicBoolean armed = new AtomicBoolean();
  private final CompletableFuture<Void> dead = new CompletableFuture<>();
  private final Point point;
  private final Runnable kill;

  /** Messages that match, by address and body. */
  record Point(String name, Predicate<DeliveryContext<Object>> matches, int nth) {
    /** The n-th message of a verb between nodes. */
    static Point verb(String verb, int nth) {
      return new Point(verb + " " + nth, sent -> sent.message().address().endsWith(".node." + verb), nth);
    }

    /** The n-th part of a gather. */
    static Point gather(String step, int nth) {
      return new Point("gather " + step + " " + nth, sent -> sent.message().address().endsWith(".node.gather")
          && step.equals(json(sent).getString("step")), nth);
    }

    /** The n-th result of a gather on its way to a node. */
    static Point gathered(int nth) {
      return new Point("gathered " + nth, sent -> sent.message().address().startsWith("__vertx.reply")
          && json(sent).containsKey("fault") && json(sent).containsKey("result"), nth);
    }

    /** The n-th answer of a leader that has noted ranks. */
    static Point joined(int nth) {
      return new Point("joined " + nth, sent -> sent.message().address().startsWith("__vertx.reply")
          && json(sent).containsKey("refusals"), nth);
    }

    /** Returns a message between nodes as JSON. */
    private static JsonObject json(DeliveryContext<Object> sent) {
      return sent.body() instanceof Buffer text ? text.toJsonObject() : new JsonObject();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  KillAt(Vertx vertx, Point point, Runnable kill) {
    this.vertx = vertx;
    this.point = point;
    this.kill = kill;
    this.left = new AtomicInteger(point.nth());
    vertx.eventBus().addOutboundInterceptor(interceptor);
  }

  /** Counts from now on. */
  void arm() {
    armed.set(true);
  }

  private void sent(DeliveryContext<Object> sent) {
    if (armed.get() && point.matches().test(sent) && left.decrementAndGet() == 0) {
      Thread.ofPlatform().daemon().name("kill").start(() -> {
        kill.run();
        dead.complete(null);
        vertx.runOnContext(_ -> sent.next());
      });
    } else {
      sent.next();
    }
  }

  /** Whether the moment has come; the node is dead or dying then. */
  boolean hasStruck() {
    return left.get() <= 0;
  }

  /** Completes when the node is dead. */
  CompletableFuture<Void> dead() {
    return dead;
  }

  @Override
  public void close() {
    vertx.eventBus().removeOutboundInterceptor(interceptor);
  }
}
