package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import io.vertxscr.service.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: what is on its way when a daemon dies. Method: messages of an end that dies before they arrive. */
class VirtualBusTest {
  private static final int MESSAGES = 100;

  /** Returns the messages that have arrived at who listens there by then. */
  private static List<Object> heard(String by, String address) {
    VirtualTime time = new VirtualTime(new Random(1));
    VirtualBus bus = new VirtualBus(new Random(1), time.loop(), new Trace(time::nowNs, false), (_, _) -> new int[] {2});
    List<Object> heard = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      bus.of("n1/1").request(address, new JsonObject().put("number", i), new DeliveryOptions());
    }
    bus.dies("n1/1");
    bus.of(by).consumer(address, message -> heard.add(message.body()));
    time.runUntil(() -> false, Duration.ofSeconds(1));
    return heard;
  }

  @Test
  void whatADeadDaemonHasSentToOthersMayArrive() {
    assertThat(heard("n2/1", "scr.n2.join")).hasSizeBetween(MESSAGES / 4, 3 * MESSAGES / 4);
  }

  /** The connection of a rank ends with its daemon. */
  @Test
  void whatItsRanksHaveSentItNeverArrivesAtTheNextOne() {
    assertThat(heard("n1/2", "scr.n1.init")).isEmpty();
  }
}
