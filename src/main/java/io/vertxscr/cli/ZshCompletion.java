package io.vertxscr.cli;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Completion of commands and options in zsh, with their descriptions; the function {@code _scr}. */
final class ZshCompletion {
  private ZshCompletion() {}

  static String of(List<CommandLine> commands) {
    StringBuilder text = new StringBuilder("""
        #compdef scr
        # Made from the help of the commands.
        local state line
        typeset -A opt_args
        _arguments -C '1:command:->command' '*::argument:->argument'
        case $state in
          command)
            local -a commands
            commands=(
        """);
    commands.forEach(command -> text.append("      ").append(quoted(command.getCommandName() + ":"
        + ManPage.summary(command))).append('\n'));
    text.append("    )\n    _describe -t commands command commands\n    ;;\n  argument)\n    case $words[1] in\n");
    for (CommandLine command : commands) {
      text.append("      ").append(command.getCommandName()).append(")\n        _arguments");
      command.getCommandSpec().options().stream().filter(option -> !option.hidden()).forEach(option -> {
        for (String name : option.names()) {
          text.append(" \\\n          ").append(option(option, name));
        }
      });
      text.append(" \\\n          ").append(command.getCommandName().equals("help")
          ? quoted("*:command:(" + commands.stream().map(CommandLine::getCommandName).collect(Collectors.joining(" "))
              + ")") : "'*:file:_files'").append("\n        ;;\n");
    }
    return text.append("    esac\n    ;;\nesac\n").toString();
  }

  private static String option(OptionSpec option, String name) {
    String description = Arrays.stream(option.description()).findFirst().orElse("").replace("%%", "%")
        .replace("[", "(").replace("]", ")").replace(":", ";");
    String says = "[" + description + "]";
    if (option.arity().max() == 0) {
      return quoted(name + says);
    }
    String value = (option.arity().min() == 0 ? "::" : ":") + option.paramLabel().replace(":", ";") + ":"
        + (Path.class.isAssignableFrom(option.type()) ? "_files" : " ");
    return quoted(name + (name.startsWith("--") ? "=" : "+") + says + value);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
