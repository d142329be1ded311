package io.vertxscr.cli.scr;

import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command under SCR's name. Options that can have no effect here are accepted, and that is said. */
public abstract class Front implements Callable<Integer> {
  /** Start of the description of an option without effect. */
  protected static final String NO_EFFECT = "No effect here: ";
  /** Exit code of most of SCR's commands for all failures. */
  public static final int FAILED = 1;

  private final Surroundings surroundings;

  @Spec
  private CommandSpec spec;

  protected Front(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /** Answer of one of our commands. */
  public record CommandAnswer(int exit, String out) {}

  @Override
  public final Integer call() throws Exception {
    for (ArgSpec given : spec.commandLine().getParseResult().matchedArgs()) {
      String[] description = given.description();
      if (description.length > 0 && description[0].startsWith(NO_EFFECT)) {
        String name = given instanceof OptionSpec option ? option.longestName() : given.paramLabel();
        err().println(name() + ": " + name + " has no effect here: " + description[0].substring(NO_EFFECT.length()));
      }
    }
    return answer();
  }

  /** Whether its words are not its own options but another command. */
  public boolean takesWords() {
    return false;
  }

  /** Does it. @return the exit code, as SCR's */
  protected abstract int answer() throws Exception;

  protected final String name() {
    return spec.commandLine().getCommandName();
  }

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  protected final Map<String, String> environment() {
    return surroundings.environment();
  }

  /** Runs a command of ours, which prints its answer. @return its exit code */
  protected final int ours(Collection<String> words) {
    return surroundings.ours().run(out(), err(), words.toArray(String[]::new));
  }

  /** Runs one of our commands and returns its answer; its errors are printed. */
  protected final CommandAnswer ask(Collection<String> words) {
    var answer = new StringWriter();
    int exit = surroundings.ours().run(new PrintWriter(answer, true), err(), words.toArray(String[]::new));
    return new CommandAnswer(exit, answer.toString());
  }

  protected final ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  /**
   * A prefix directory, made absolute.
   *
   * @param given {@code null} for the working directory, as SCR has it
   * @throws ScrException BAD_CONFIGURATION where it is no directory
   */
  public static PrefixPaths prefix(Path given) {
    return PrefixDirectories.named(given == null ? Path.of("") : given);
  }
}
