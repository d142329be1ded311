package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Defects;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever an application or node sends in a frame is a message, or is refused. Method: messages of all kinds
 * with seeded defects, as many as {@code -Dscr.frames} says.
 */
class WireFuzzTest {
  private static final int FRAMES = Integer.getInteger("scr.frames", 10_000);
  private static final long SEED = Long.getLong("seed", 1);

  /** Each behind a comma or bracket is a record. */
  private static List<Part> parts(Record message) {
    return Stream.of(Wire.write(message).encode().split("(?<=[,{\\[])"))
        .map(text -> Part.of(text.getBytes(StandardCharsets.UTF_8))).toList();
  }

  @Test
  void everyTextIsAMessageOrIsRefused() {
    List<Record> messages = WireTest.messages().toList();
    List<Defects> hostile = new ArrayList<>();
    for (Record message : messages) {
      hostile.add(new Defects(List.of(parts(message)), SEED));
    }
    int taken = 0;
    for (int i = 0; i < FRAMES; i++) {
      int kind = i % messages.size();
      byte[] frame = hostile.get(kind).next();
      try {
        JsonObject json = Wire.decode(frame);
        Wire.read(json, messages.get(kind).getClass());
        taken++;
      } catch (ScrException _) {
        // It says why.
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("seed " + SEED + ", frame " + i + ": " + new String(frame, StandardCharsets.UTF_8), e);
      }
    }
    assertThat(taken).as("of %d frames, as they should be", FRAMES).isBetween(FRAMES / 10, FRAMES * 9 / 10);
  }
}
