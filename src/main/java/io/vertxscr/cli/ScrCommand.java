package io.vertxscr.cli;

import io.vertxscr.cli.drill.DrillCommands;
import io.vertxscr.cli.halt.HaltCommand;
import io.vertxscr.cli.launch.LaunchCommands;
import io.vertxscr.cli.offline.OfflineCommands;
import io.vertxscr.cli.scr.ScrNames;
import io.vertxscr.cli.text.PrintableWriter;
import io.vertxscr.config.Nearest;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.UnmatchedArgumentException;
import picocli.CommandLine;

/**
 * The command line. Answers go to standard output; a failure is one sentence on standard error and an exit code:
 * 1 for what went wrong, 2 for a wrong command line or configuration. {@code SCR_DEBUG=1} adds the stack.
 */
@Command(name = "scr", description = "Checkpoints that survive the loss of nodes.", synopsisSubcommandLabel = "COMMAND")
public final class ScrCommand implements Runnable {
  static final int FAILED = 1;
  /** Of an option, with its two dashes. */
  private static final int SHORTEST_STEM = 5;
  private static final Pattern UNKNOWN = Pattern.compile("^Unknown subcommand '(.*)'");

  private final CommandLine commands;
  private final boolean debug;

  /** A command under one of SCR's names. */
  private ScrCommand(Map<String, String> environment, CommandLine front) {
    debug = "1".equals(environment.get("SCR_DEBUG"));
    commands = front;
    commands.getCommandSpec().addOption(helpOption());
    setHandlers();
  }

  private ScrCommand(Map<String, String> environment, String... args) {
    debug = "1".equals(environment.get("SCR_DEBUG"));
    commands = new CommandLine(this);
    SequencedMap<String, Supplier<Object>> all = all(environment);
    // Making all commands and reading their options takes a tenth of a second: only the called one is made.
    Supplier<Object> called = args.length > 0 ? all.get(args[0]) : null;
    (called == null ? all.values() : List.of(called)).forEach(command -> commands.addSubcommand(command.get()));
    commands.getSubcommands().values().forEach(command -> command.getCommandSpec().addOption(helpOption()));
    commands.addSubcommand(new HelpCommand()).setCaseInsensitiveEnumValuesAllowed(true);
    setHandlers();
  }

  private static OptionSpec helpOption() {
    return OptionSpec.builder("-h", "--help").usageHelp(true).description("Print this help.").build();
  }

  private void setHandlers() {
    commands.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));   // there are no escape sequences in our output
    // Not as it is: it would take the output of the process for ours, where that has been exchanged since it was made.
    commands.setExecutionStrategy(parsed -> new RunLast().execute(parsed));
    commands.setExecutionExceptionHandler((failure, command, _) -> report(failure, command))
        .setParameterExceptionHandler((wrong, _) -> report(wrong));
  }

  /** How every command of the program is made, with all it needs, by name. */
  private static SequencedMap<String, Supplier<Object>> all(Map<String, String> environment) {
    SequencedMap<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put(DemoCommand.NAME, () -> new DemoCommand(environment));
    all.put(NodeCommand.NAME, () -> new NodeCommand(environment));
    all.put(StatusCommand.NAME, () -> new StatusCommand(environment));
    all.put(ScrubCommand.NAME, () -> new ScrubCommand(environment));
    all.put(EventsCommand.NAME, () -> new EventsCommand(environment));
    all.put(HaltCommand.NAME, () -> new HaltCommand(environment));
    all.put(DrainCommand.NAME, () -> new DrainCommand(environment));
    all.put(FlushCommand.NAME, () -> new FlushCommand(environment));
    all.put(DropCommand.NAME, () -> new DropCommand(environment));
    all.put(ConfigCommand.NAME, () -> new ConfigCommand(environment));
    all.put(CommandTraining.NAME, () -> new CommandTraining(environment));
    all.put(PagesCommand.NAME, () -> new PagesCommand(environment));
    all.putAll(LaunchCommands.all(environment));
    all.putAll(OfflineCommands.all(environment));
    all.putAll(DrillCommands.all(environment));
    all.put(VersionCommand.NAME, VersionCommand::new);
    return all;
  }

  /** The program with all its commands. */
  static CommandLine whole(Map<String, String> environment) {
    return new ScrCommand(environment).commands;
  }

  /** Its commands for people, in the order of its help. */
  static List<CommandLine> shown(CommandLine scr) {
    return scr.getSubcommands().values().stream()
        .filter(command -> !command.getCommandSpec().usageMessage().hidden()).toList();
  }

  public static void main(String[] args) {
    var out = new PrintWriter(System.out, true);
    var err = new PrintWriter(System.err, true);
    System.exit(run(System.getenv(), out, err, args));
  }

  /** Runs one command line to its end and returns the exit code. */
  static int run(Map<String, String> environment, PrintWriter toOut, PrintWriter toErr, String... args) {
    var out = new PrintWriter(new PrintableWriter(toOut), true);
    var err = new PrintWriter(new PrintableWriter(toErr), true);
    try {
      return execute(environment, out, err, args);
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static int execute(Map<String, String> environment, PrintWriter out, PrintWriter err, String... args) {
    Optional<CommandLine> front = args.length == 0 ? Optional.empty()
        : ScrNames.find(args[0], environment, (there, complaints, ours) -> run(environment, there, complaints, ours));
    if (front.isPresent()) {
      return new ScrCommand(environment, front.get()).commands.setOut(out).setErr(err)
          .execute(Arrays.copyOfRange(args, 1, args.length));
    }
    String[] words = plain(args);
    return new ScrCommand(environment, words).commands.setOut(out).setErr(err).execute(words);
  }

  /** Accepts common options as commands, and a link called scr_status as scr status. */
  private static String[] plain(String... args) {
    String[] words = args.clone();
    if (words.length > 0) {
      words[0] = switch (words[0]) {
        case "-h", "--help" -> "help";
        case "-V", "--version" -> "version";
        case String link when link.matches("scr_[a-z_]+") -> link.substring("scr_".length()).replace('_', '-');
        case String other -> other;
      };
    }
    return words;
  }

  @Override
  public void run() {
    throw new ParameterException(commands, "a command is missing; one of " + String.join(", ", names()));
  }

  private List<String> names() {
    return shown(commands).stream().map(CommandLine::getCommandName).toList();
  }

  private int report(Exception failure, CommandLine command) {
    PrintWriter err = command.getErr();
    Optional<IOException> trouble = trouble(failure);
    boolean expected = failure instanceof ScrException || trouble.isPresent();
    err.println("scr: " + trouble.map(ScrCommand::sentence)
        .orElse(Names.printable(expected ? failure.getMessage() : "internal error: " + failure)));
    if (failure instanceof ScrException full && full.fault() == Fault.NO_SPACE) {
      err.println("scr: make room there and run this again: what it has done already it finds done");
    }
    if (debug) {
      failure.printStackTrace(err);
    } else if (!expected) {
      err.println("scr: SCR_DEBUG=1 shows where");
    }
    CommandSpec spec = command.getCommandSpec();
    return failure instanceof ScrException known && known.fault() == Fault.BAD_CONFIGURATION
        ? spec.exitCodeOnInvalidInput() : spec.exitCodeOnExecutionException();
  }

  /** Files, directories and pipes of others are no bugs of ours. */
  private static Optional<IOException> trouble(Exception failure) {
    return switch (failure) {
      case IOException io -> Optional.of(io);
      case UncheckedIOException io -> Optional.of(io.getCause());
      default -> Optional.empty();
    };
  }

  private static String sentence(IOException trouble) {
    String file = trouble instanceof FileSystemException of && of.getFile() != null ? of.getFile() + ": " : "";
    return Names.printable(file + ScrException.reason(trouble));
  }

  private int report(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    command.getErr().println("scr: " + Names.printable(sentence(wrong, command)));
    String name = command.getCommandSpec().qualifiedName(" ");
    boolean ours = name.equals("scr") || name.startsWith("scr ");
    command.getErr().println("scr: '" + (ours ? name.replaceFirst("^scr ?", "scr help ").strip() : name + " --help")
        + "' lists what there is");
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  private String sentence(ParameterException wrong, CommandLine command) {
    Matcher unknown = UNKNOWN.matcher(wrong.getMessage());
    if (unknown.find()) {
      return noCommand(unknown.group(1));                 // by scr help
    }
    if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
      return wrong.getMessage().replaceFirst(" is not an? (int|long)$", " is not an integer in range");
    }
    String word = unmatched.getUnmatched().getFirst();
    if (command.getCommandSpec().userObject() == this) {
      return noCommand(word);
    }
    String option = word.replaceFirst("=.*", "");
    return wrong.getMessage() + (word.startsWith("-") ? hint(option, command) : "");
  }

  private String noCommand(String word) {
    return "there is no command '" + word + "'" + Nearest.hint(word, names());
  }

  /** The option that was meant, or those that begin alike: {@code --unset} of {@code --unset-reason}. */
  private static String hint(String option, CommandLine command) {
    Set<String> known = command.getCommandSpec().optionsMap().keySet();
    String stem = option.lastIndexOf('-') > 1 ? option.substring(0, option.lastIndexOf('-')) : option;
    List<String> alike = stem.length() < SHORTEST_STEM ? List.of()
        : known.stream().filter(one -> one.startsWith(stem)).sorted().toList();
    String near = Nearest.hint(option, known);
    return !near.isEmpty() || alike.isEmpty() ? near : "; there are " + String.join(", ", alike);
  }
}
