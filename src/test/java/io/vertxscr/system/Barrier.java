package io.vertxscr.system;

import io.vertx.core.Future;
import io.vertx.core.Promise;

/** Where all ranks of a virtual run wait for each other, once. */
final class Barrier {
  private final Promise<Void> all = Promise.promise();
  private int left;

  Barrier(int ranks) {
    left = ranks;
  }

  Future<Void> meet() {
    if (--left == 0) {
      all.complete();
    }
    return all.future();
  }
}
