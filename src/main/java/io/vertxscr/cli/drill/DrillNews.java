package io.vertxscr.cli.drill;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * What a rank of the drill tells, a line on its standard output. Its form: {@code drill
 * {"topic":"STEP","rank":3,"step":12,...}}.
 *
 * @param step 0 where it has none
 * @param text a difference, else empty
 */
record DrillNews(Topic topic, int rank, int step, String text) {
  private static final String MARK = "drill ";

  /** Kind of news. */
  enum Topic {
    /** {@code init} is answered. */
    JOINED,
    /** Every byte of the checkpoint of this step is as it was written. */
    VERIFIED,
    /** A byte is not: the text says which. */
    DIFFERS,
    /** There is no checkpoint to restart from. */
    ANEW,
    /** A step is done. */
    STEP,
    /** A checkpoint of this step begins. */
    BEGINS,
    /** It is protected. */
    PROTECTED
  }

  DrillNews(Topic topic, int rank, int step) {
    this(topic, rank, step, "");
  }

  String line() {
    return MARK + new JsonObject().put("topic", topic.name()).put("rank", rank).put("step", step).put("text", text)
        .encode();
  }

  /** Empty for lines of any other kind. */
  static Optional<DrillNews> parse(String line) {
    if (!line.startsWith(MARK)) {
      return Optional.empty();
    }
    try {
      JsonObject json = new JsonObject(line.substring(MARK.length()));
      return Optional.of(new DrillNews(Topic.valueOf(json.getString("topic")), json.getInteger("rank"),
          json.getInteger("step"), json.getString("text")));
    } catch (DecodeException | ClassCastException | IllegalArgumentException | NullPointerException _) {
      return Optional.empty();
    }
  }
}
