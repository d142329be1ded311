package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: the picture of the import graph in docs shows the program as it is. Method: it is drawn from the classes and
 * compared with the file. {@code mvn test -Dtest=PackagePictureTest -Dpicture=write} draws it again.
 */
@Execution(ExecutionMode.CONCURRENT)
class PackagePictureTest {
  private static final Path PICTURE = Path.of("docs/packages.svg");
  private static final String BASE = "io.vertxscr.";
  private static final int CELL = 13;
  private static final int LABELS = 190;
  private static final int TOP = 24;

  @Test
  void thePictureOfTheImportGraphIsUpToDate() throws IOException {
    String drawn = draw(uses());
    if ("write".equals(System.getProperty("picture"))) {
      Files.writeString(PICTURE, drawn);
    }

    assertThat(PICTURE).as("drawn again by -Dtest=PackagePictureTest -Dpicture=write").hasContent(drawn);
  }

  /** The packages that each package uses. */
  private static Map<String, Set<String>> uses() {
    Map<String, Set<String>> uses = new TreeMap<>();
    for (JavaClass user : Imported.program()) {
      user.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType().getPackageName())
          .filter(target -> target.startsWith(BASE) && !target.equals(user.getPackageName())).distinct()
          .forEach(target -> uses.computeIfAbsent(PackageTableTest.within(user.getPackageName()), _ -> new TreeSet<>())
              .add(PackageTableTest.within(target)));
    }
    return uses;
  }

  /** A matrix: a row uses the columns that are marked. Each package only uses those above it in the list. */
  private static String draw(Map<String, Set<String>> uses) {
    List<String> order = PackageTableTest.FROM_THE_BOTTOM;
    int side = order.size() * CELL;
    StringBuilder svg = new StringBuilder("""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="10">
        <title>Import graph of vertx-scr: a row uses the marked columns</title>
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        <text x="8" y="15" font-size="11">Each row uses the packages of the marked columns, numbered as the rows are. \
        No mark right of the diagonal: no circles.</text>
        """.formatted(LABELS + side + 12, TOP + CELL + side + 12));
    for (int row = 0; row < order.size(); row++) {
      String name = order.get(row);
      int y = TOP + CELL + row * CELL;
      if (row % 2 == 0) {
        svg.append("<rect x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f3f5f7\"/>\n"
            .formatted(y, LABELS + side, CELL));
      }
      svg.append("<text x=\"8\" y=\"%d\" fill=\"#1a1a1a\">%d&#160; %s</text>\n".formatted(y + CELL - 3, row + 1, name));
      svg.append("<text x=\"%d\" y=\"%d\" font-size=\"7\" fill=\"#555555\" text-anchor=\"middle\">%d</text>\n"
          .formatted(LABELS + row * CELL + CELL / 2, TOP + CELL - 3, row + 1));
      svg.append(cell(row, y, "#c9ced4", name));
      for (String used : uses.getOrDefault(name, Set.of())) {
        int column = order.indexOf(used);
        svg.append(cell(column, y, column < row ? "#1f6feb" : "#d1242f", name + " uses " + used));
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private static String cell(int column, int y, String colour, String title) {
    return "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>\n"
        .formatted(LABELS + column * CELL + 1, y + 1, CELL - 2, CELL - 2, colour, title);
  }
}
