package io.vertxscr.node;

import io.vertxscr.metrics.NodeFigures;
import io.vertxscr.service.Loop;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.DatasetStore;

/**
 * Figures for scrapes, which must not wait: what the last look found. A question begins the next look, unless one is
 * under way, so a figure is one scrape old. A file system that hangs holds up its own figure alone. Any thread.
 */
final class LastLook {
  private final Loop loop;
  private final RunService runs;
  private final DatasetStore store;
  private boolean measuring;
  private volatile NodeFigures figures = NodeFigures.NONE;

  LastLook(Loop loop, RunService runs, DatasetStore store) {
    this.loop = loop;
    this.runs = runs;
    this.store = store;
  }

  NodeFigures figures() {
    loop.later(this::look);
    return figures;
  }

  private void look() {
    figures = new NodeFigures(runs.lostNodes().size(), figures.freeRatio());
    if (!measuring) {
      measuring = true;
      loop.quietly("measure the stores", store::freeRatio).onComplete(free -> {
        measuring = false;
        figures = new NodeFigures(figures.lostNodes(), free.succeeded() ? free.result() : Double.NaN);
      });
    }
  }
}
