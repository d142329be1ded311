package io.vertxscr.cli;

import io.vertxscr.model.Release;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command in the language of man(7), from the words of its help. */
final class ManPage {
  private final CommandLine command;
  private final List<CommandLine> others;
  private final StringBuilder page = new StringBuilder();

  private ManPage(CommandLine command, List<CommandLine> others) {
    this.command = command;
    this.others = others;
  }

  /** {@code scr-status}, of {@code scr status}. */
  static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName("-");
  }

  /** @param others of the program, without hidden ones */
  static String of(CommandLine command, List<CommandLine> others) {
    return new ManPage(command, others).page();
  }

  private String page() {
    CommandSpec spec = command.getCommandSpec();
    line(".TH \"" + name(command).toUpperCase(Locale.ROOT) + "\" \"1\" \"\" \"vertx-scr " + Release.NAME
        + "\" \"vertx-scr\"");
    line(".SH NAME");
    line(text(name(command)) + " \\- " + text(summary(command)));
    line(".SH SYNOPSIS");
    line(text(command.getHelp().synopsis(0).strip().replaceAll("\\s+", " ")));
    line(".SH DESCRIPTION");
    paragraphs(spec.usageMessage().description());
    arguments(spec);
    if (command.getParent() == null) {
      line(".SH COMMANDS");
      others.forEach(other -> entry("\\fB" + text(other.getCommandName()) + "\\fR", List.of(summary(other))));
    }
    line(".SH EXIT STATUS");
    line("0 where it went well, 1 where something went wrong, 2 for a wrong command line or configuration.");
    line(".SH ENVIRONMENT");
    entry("\\fBNO_COLOR\\fR", List.of("Anything but the empty text: no colours. They are for terminals anyway."));
    entry("\\fBSCR_DEBUG\\fR", List.of("With 1 the stack of a failure is printed."));
    entry("\\fBSCR_*\\fR", List.of("Parameters: scr config --explain lists them."));
    line(".SH SEE ALSO");
    line(Stream.concat(command.getParent() == null ? Stream.empty() : Stream.of(command.getParent()), others.stream())
        .filter(other -> other != command).map(other -> "\\fB" + text(name(other)) + "\\fR(1)")
        .collect(Collectors.joining(", ")));
    return page.toString();
  }

  /** The first sentence of the description. */
  static String summary(CommandLine command) {
    List<String> description = plain(command.getCommandSpec().usageMessage().description());
    String first = description.isEmpty() ? "" : description.getFirst();
    int end = first.indexOf(". ");
    return (end < 0 ? first : first.substring(0, end)).replaceFirst("\\.$", "");
  }

  private void arguments(CommandSpec spec) {
    List<PositionalParamSpec> places = spec.positionalParameters().stream().filter(one -> !one.hidden()).toList();
    if (!places.isEmpty()) {
      line(".SH ARGUMENTS");
      places.forEach(place -> entry("\\fI" + text(place.paramLabel()) + "\\fR", plain(place.description())));
    }
    List<OptionSpec> options = spec.options().stream().filter(one -> !one.hidden()).toList();
    if (!options.isEmpty()) {
      line(".SH OPTIONS");
      options.forEach(option -> entry(Arrays.stream(option.names()).map(name -> "\\fB" + text(name) + "\\fR")
          .collect(Collectors.joining(", ")) + value(option), plain(option.description())));
    }
  }

  private static String value(ArgSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    String label = "\\fI" + text(option.paramLabel()) + "\\fR";
    return option.arity().min() == 0 ? "[=" + label + "]" : "=" + label;
  }

  private void paragraphs(String... description) {
    List<String> all = plain(description);
    for (int i = 0; i < all.size(); i++) {
      line(i == 0 ? "" : ".PP");
      line(text(all.get(i)));
    }
  }

  private void entry(String heading, List<String> description) {
    line(".TP");
    line(heading);
    line(text(String.join(" ", description)));
  }

  /** Without the escapes of format strings, which descriptions are. */
  private static List<String> plain(String... description) {
    List<String> lines = new ArrayList<>();
    for (String one : description) {
      lines.addAll(Arrays.asList(one.replace("%n", "\n").replace("%%", "%").split("\n")));
    }
    return lines;
  }

  private void line(String text) {
    if (!text.isEmpty()) {
      page.append(text).append('\n');
    }
  }

  /** No character of it is a command of the language. */
  static String text(String text) {
    String escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
        .replace("^", "\\(ha").replace("~", "\\(ti");
    return escaped.startsWith(".") ? "\\&" + escaped : escaped;
  }
}
