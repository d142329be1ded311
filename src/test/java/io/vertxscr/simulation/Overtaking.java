package io.vertxscr.simulation;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How a process is overtaken: at one of so many operations on files, for so long at most. */
record Overtaking(RandomGenerator random, int oneOf, int mostMs) {
  /** For how long it is at the next operation; zero: not then. */
  Duration draw() {
    return Duration.ofMillis(random.nextInt(oneOf) == 0 ? 1 + random.nextInt(mostMs) : 0);
  }
}
