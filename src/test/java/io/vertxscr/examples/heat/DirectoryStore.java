package io.vertxscr.examples.heat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A checkpoint system on a plain directory for ranks that are threads of this process. Each rank writes below a
 * directory of its node; a copy on "another node" is made when the checkpoint is complete.
 */
public final class DirectoryStore {
  private final Path nodes;
  private final Path copies;
  private final Deque<String> complete = new ArrayDeque<>();

  public DirectoryStore(Path directory) {
    nodes = directory.resolve("nodes");
    copies = directory.resolve("copies");
  }

  /** Returns the directory of a node's ranks. */
  public Path node(String node) {
    return nodes.resolve(node);
  }

  /** Returns the directory of all copies. */
  public Path copies() {
    return copies;
  }

  /** Names of the complete checkpoints, newest first. */
  public synchronized Deque<String> complete() {
    return new ArrayDeque<>(complete);
  }

  public synchronized void forgetNewest() {
    complete.removeFirst();
  }

  private synchronized Optional<String> newest() {
    return Optional.ofNullable(complete.peekFirst());
  }

  /** Ranks that act together. */
  public final class Run {
    private final int ranks;
    private int waiting;
    private long round;
    private boolean allValid = true;
    private boolean lastResult;
    private String lost;

    public Run(int ranks) {
      this.ranks = ranks;
    }

    /** Fails all waits of this run, now and later, with this reason. */
    public synchronized void lose(String reason) {
      lost = reason;
      notifyAll();
    }

    /** Waits for all ranks; true where all say true. The last one acts before the others go on. */
    private synchronized boolean agree(boolean valid, Consumer<Boolean> last) {
      allValid &= valid;
      long mine = round;
      if (++waiting == ranks) {
        lastResult = allValid;
        last.accept(allValid);
        waiting = 0;
        allValid = true;
        round++;
        notifyAll();
      }
      while (round == mine) {
        if (lost != null) {
          throw new ScrException(Fault.NODE_LOST, lost);
        }
        try {
          wait();
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
          throw new ScrException(Fault.RANK_LOST, "interrupted");
        }
      }
      return lastResult;
    }

    public Checkpointing client(String node) {
      return new Client(this, node);
    }
  }

  private final class Client implements Checkpointing {
    private final Run run;
    private final Path home;
    private boolean finished;

    Client(Run run, String node) {
      this.run = run;
      home = node(node);
    }

    @Override
    public Optional<CheckpointReader> restart() {
      run.agree(true, _ -> {});
      return newest().map(Reading::new);
    }

    @Override
    public CheckpointWriter start(String name) {
      run.agree(true, _ -> {});
      return new Writing(name);
    }

    @Override
    public void finish() {
      run.agree(true, _ -> {});
      finished = true;
    }

    @Override
    public void close() {
      if (!finished) {
        run.lose("a rank ended without finish");
      }
    }

    private final class Reading implements CheckpointReader {
      private final String name;

      Reading(String name) {
        this.name = name;
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public Path route(String file) {
        Path own = home.resolve(file);
        return Files.exists(own) ? own : copies.resolve(file);
      }

      @Override
      public boolean complete(boolean valid) {
        return run.agree(valid, all -> {
          if (!all) {
            forgetNewest();
          }
        });
      }
    }

    private final class Writing implements CheckpointWriter {
      private final String name;
      private String file;

      Writing(String name) {
        this.name = name;
      }

      @Override
      public Path route(String wanted) {
        file = wanted;
        return withDirectory(home.resolve(wanted));
      }

      @Override
      public boolean complete(boolean valid) {
        try {
          if (valid) {
            Files.write(withDirectory(copies.resolve(file)), Files.readAllBytes(home.resolve(file)));
          }
        } catch (IOException e) {
          throw new ScrException(Fault.IO, "cannot copy " + file, e);
        }
        return run.agree(valid, all -> {
          if (all) {
            synchronized (DirectoryStore.this) {
              complete.addFirst(name);
            }
          }
        });
      }
    }
  }

  private static Path withDirectory(Path file) {
    try {
      Files.createDirectories(file.getParent());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
