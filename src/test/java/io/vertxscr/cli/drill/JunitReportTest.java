package io.vertxscr.cli.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Goal: continuous integration finds each check as a test case, and the numbers. Method: the XML is parsed again. */
class JunitReportTest {
  private static Element suite(DrillOutcome outcome, DrillOutcome.Objectives bounds) throws Exception {
    StringWriter out = new StringWriter();
    JunitReport.write(out, DrillPage.result(outcome, bounds));
    Element root = DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder()
        .parse(new InputSource(new StringReader(out.toString()))).getDocumentElement();
    assertThat(root.getTagName()).isEqualTo("testsuite");
    return root;
  }

  private static List<Element> all(Element in, String tag) {
    NodeList found = in.getElementsByTagName(tag);
    return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i)).toList();
  }

  private static String property(Element suite, String name) {
    return all(suite, "property").stream().filter(one -> one.getAttribute("name").equals(name)).findFirst()
        .map(one -> one.getAttribute("value")).orElse("none");
  }

  @Test
  void aGoodDrillHasOnlyPassedCases() throws Exception {
    Element suite = suite(DrillOutcomes.good(), DrillOutcomes.NONE);
    assertThat(suite.getAttribute("tests")).isEqualTo("8");
    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getAttribute("skipped")).isEqualTo("0");
    assertThat(suite.getAttribute("time")).isEqualTo("4.000");
    assertThat(all(suite, "testcase")).extracting(one -> one.getAttribute("name")).containsExactly(
        "checkpoint", "detection", "restart", "bytes", "first-step", "protection", "rto", "rpo");
    assertThat(all(suite, "testcase")).allMatch(one -> one.getAttribute("classname").equals("scr.drill"));
    assertThat(all(suite, "failure")).isEmpty();
    assertThat(property(suite, "seed")).isEqualTo("4711");
    assertThat(property(suite, "rtoSeconds")).isEqualTo("3.500");
    assertThat(property(suite, "rpoSteps")).isEqualTo("3");
    assertThat(property(suite, "detectedSeconds")).isEqualTo("0.500");
  }

  @Test
  void aFailureIsInItsCaseAndWhatFollowsIsSkipped() throws Exception {
    Element suite = suite(DrillOutcomes.upTo(Milestone.RESTORED, Optional.of("byte 7 is <0x01> & \"bad\" \u001b[31m"),
        Optional.of("x")), DrillOutcomes.NONE);
    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    assertThat(suite.getAttribute("skipped")).isEqualTo("4");
    Element failure = all(suite, "failure").getFirst();
    assertThat(failure.getAttribute("message")).isEqualTo("byte 7 is <0x01> & \"bad\" \\u001b[31m");
    assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo("bytes");
    assertThat(property(suite, "rtoSeconds")).isEqualTo("none");
  }

  @Test
  void aBoundThatIsBrokenIsAFailure() throws Exception {
    Element suite = suite(DrillOutcomes.good(), DrillOutcomes.within(1, 9));
    assertThat(all(suite, "failure")).singleElement().satisfies(failure -> {
      assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo("rto");
      assertThat(failure.getAttribute("message")).contains("more than 1 s");
    });
  }
}
