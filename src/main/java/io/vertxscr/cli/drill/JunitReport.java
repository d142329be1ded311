package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillCheck.Result;
import io.vertxscr.model.Names;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A drill's result in the form that continuous integration reads, JUnit's XML. Each check is a test case, the measured
 * numbers are properties.
 */
final class JunitReport {
  private static final String SUITE = "scr.drill";

  private JunitReport() {}

  /** Writes the file, or replaces it. */
  static void write(Path file, DrillOutcome outcome, DrillOutcome.Objectives bounds) throws IOException {
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      write(out, outcome, bounds);
    }
  }

  static void write(Writer out, DrillOutcome outcome, DrillOutcome.Objectives bounds) throws IOException {
    try {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument("UTF-8", "1.0");
      suite(xml, outcome, outcome.checks(bounds));
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IOException("the report cannot be written: " + e.getMessage(), e);
    }
  }

  private static void suite(XMLStreamWriter xml, DrillOutcome outcome, List<DrillCheck> checks)
      throws XMLStreamException {
    xml.writeStartElement("testsuite");
    attribute(xml, "name", SUITE);
    attribute(xml, "tests", checks.size());
    attribute(xml, "failures", count(checks, Result.FAILED));
    attribute(xml, "errors", 0);
    attribute(xml, "skipped", count(checks, Result.SKIPPED));
    attribute(xml, "time", seconds(outcome.after().values().stream().mapToLong(ms -> ms).max().orElse(0) / 1000.0));
    xml.writeStartElement("properties");
    for (Map.Entry<String, String> property : properties(outcome).entrySet()) {
      xml.writeEmptyElement("property");
      attribute(xml, "name", property.getKey());
      attribute(xml, "value", property.getValue());
    }
    xml.writeEndElement();
    for (DrillCheck check : checks) {
      testCase(xml, check);
    }
    xml.writeEndElement();
  }

  private static void testCase(XMLStreamWriter xml, DrillCheck check) throws XMLStreamException {
    xml.writeStartElement("testcase");
    attribute(xml, "classname", SUITE);
    attribute(xml, "name", check.name());
    attribute(xml, "time", seconds(check.seconds()));
    switch (check.result()) {
      case PASSED -> {
        xml.writeStartElement("system-out");
        xml.writeCharacters(Names.printable(check.text()));
        xml.writeEndElement();
      }
      case FAILED -> message(xml, "failure", check.text());
      case SKIPPED -> message(xml, "skipped", check.text());
    }
    xml.writeEndElement();
  }

  private static void message(XMLStreamWriter xml, String element, String text) throws XMLStreamException {
    xml.writeEmptyElement(element);
    attribute(xml, "message", text);
  }

  private static Map<String, String> properties(DrillOutcome outcome) {
    Map<String, String> all = new LinkedHashMap<>();
    DrillPlan plan = outcome.plan();
    all.put("seed", "" + plan.seed());
    all.put("scheme", plan.scheme().name());
    all.put("nodes", "" + plan.nodes().size());
    all.put("ranks", "" + plan.work().ranks());
    all.put("bytesPerRank", "" + plan.work().bytes());
    all.put("lost", String.join(",", plan.strike().victims()));
    all.put("cacheLost", "" + plan.strike().cacheLost());
    for (Milestone milestone : Milestone.values()) {
      outcome.seconds(milestone).ifPresent(value -> all.put(milestone.field() + "Seconds", seconds(value)));
    }
    outcome.rtoSeconds().ifPresent(value -> all.put("rtoSeconds", seconds(value)));
    outcome.lostSeconds().ifPresent(value -> all.put("rpoSeconds", seconds(value)));
    outcome.lostSteps().ifPresent(steps -> all.put("rpoSteps", "" + steps));
    return all;
  }

  private static long count(List<DrillCheck> checks, Result result) {
    return checks.stream().filter(check -> check.result() == result).count();
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  private static void attribute(XMLStreamWriter xml, String name, Object value) throws XMLStreamException {
    xml.writeAttribute(name, Names.printable("" + value));
  }
}
