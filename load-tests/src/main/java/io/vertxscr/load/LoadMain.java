package io.vertxscr.load;

import java.util.concurrent.ExecutionException;

/** Measures what the command line names; one JSON line for each case on standard output. */
public final class LoadMain {
  private LoadMain() {}

  public static void main(String[] args) {
    try {
      if (args.length > 0 && args[0].equals("attack")) {
        new AttackCase(args).run();
        System.exit(0);
      }
      Options options = Options.parse(args);
      switch (options.kind()) {
        case "encode" -> new EncodeCase(options).run();
        case "rebuild" -> new RebuildCase(options).run();
        case "flush" -> new FlushCase(options).run();
        case "fetch" -> new FetchCase(options).run();
        case "containers" -> new ContainersCase(options).run();
        case "index" -> new IndexCase(options).run();
        default -> new PhaseCase(options).run();
      }
      System.exit(0);
    } catch (LoadException e) {
      System.err.println("load-tests: " + e.getMessage());
      System.exit(1);
    } catch (Exception e) {
      (e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e).printStackTrace();
      System.exit(1);
    }
  }
}
