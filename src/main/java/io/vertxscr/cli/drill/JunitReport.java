package io.vertxscr.cli.drill;

import io.vertxscr.cli.drill.DrillCheck.Result;
import io.vertxscr.model.Names;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
  static void write(Path file, DrillResult result) throws IOException {
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      write(out, result);
    }
  }

  static void write(Writer out, DrillResult result) throws IOException {
    try {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument("UTF-8", "1.0");
      suite(xml, result);
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IOException("the report cannot be written: " + e.getMessage(), e);
    }
  }

  private static void suite(XMLStreamWriter xml, DrillResult result) throws XMLStreamException {
    List<DrillCheck> checks = result.checks();
    xml.writeStartElement("testsuite");
    attribute(xml, "name", SUITE);
    attribute(xml, "tests", checks.size());
    attribute(xml, "failures", count(checks, Result.FAILED));
    attribute(xml, "errors", 0);
    attribute(xml, "skipped", count(checks, Result.SKIPPED));
    attribute(xml, "time", seconds(result.seconds()));
    xml.writeStartElement("properties");
    for (Map.Entry<String, String> property : result.properties().entrySet()) {
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

  private static long count(List<DrillCheck> checks, Result result) {
    return checks.stream().filter(check -> check.result() == result).count();
  }

  /** As the form has it. */
  static String seconds(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  private static void attribute(XMLStreamWriter xml, String name, Object value) throws XMLStreamException {
    xml.writeAttribute(name, Names.printable("" + value));
  }
}
