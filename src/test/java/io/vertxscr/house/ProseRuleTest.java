package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: prose can be skimmed. The first sentence of a Javadoc is read at a glance, as lists of members show it, and no
 * text of the repository has words that only old books have. Method: javac's parser finds the first sentences of all
 * comments of the program, and of the types of the tests; what counts is the text that a reader sees, without tags.
 */
@Execution(ExecutionMode.CONCURRENT)
class ProseRuleTest {
  private static final int BELOW_CHARS = 100;
  private static final Set<Tree.Kind> TYPES = EnumSet.of(Tree.Kind.CLASS, Tree.Kind.INTERFACE, Tree.Kind.RECORD,
      Tree.Kind.ENUM, Tree.Kind.ANNOTATION_TYPE, Tree.Kind.PACKAGE);
  /** Where a plain word says the same: again, during, so, of which, forever, every n-th, without success. */
  private static final Pattern ODD = Pattern.compile("(?i)\\b(?:aforesaid|albeit|amidst|bereft|betwixt|for ever|hence|"
      + "henceforth|hereby|heretofore|hitherto|if need be|in vain|lest|naught|nought|of its own accord|perchance|shall|"
      + "so many-th|thence|thereby|therein|thereof|thereupon|unto|whence|whereby|wherein|whereof|whereupon|whilst|"
      + "whosoever)\\b");
  private static final List<String> WITH_PROSE = List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bin",
      "clients", "conf", "docs", "examples", "load-tests", "src");
  private static final Pattern TEXTS = Pattern.compile(".*\\.(?:java|md|c|h|py|f90|f|sh|conf|yaml|xml|txt)");
  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

  @Test
  void firstSentencesOfTheProgramAreShort() throws IOException {
    assertThat(complaints(Path.of("src/main/java"), _ -> true)).isEmpty();
  }

  @Test
  void firstSentencesOfTestClassesAreShort() throws IOException {
    assertThat(complaints(Path.of("src/test/java"), TYPES::contains)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '!', textBlock = """
       99 ! /** %s. */ class A {}                                ! 0
      100 ! /** %s. */ class A {}                                ! 1
      100 ! /** Short. %s. */ class A {}                         ! 0
      100 ! /** Short. @see A a thing that is %s */ class A {}   ! 0
      100 ! class A { /** %s. */ int a; }                        ! 1
      100 ! class A { /** %s. */ void a() {} }                   ! 1
      100 ! enum A { /** %s. */ B, C }                           ! 1
      100 ! /** %s. */ package a;                                ! 1
       94 ! /** {@code B} %s. */ class A {}                      ! 0
       94 ! /** {@link java.util.List#of() B} %s. */ class A {}  ! 0
      100 ! /* %s. */ class A {}                                 ! 0
      """)
  void theTextOfTheFirstSentenceCounts(int chars, String source, int complaints) throws IOException {
    String text = source.formatted("a".repeat(chars - 1));
    var file = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoresErrors) {
        return text;
      }
    };
    assertThat(complaints(List.of(file), _ -> true)).hasSize(complaints);
  }

  private static List<String> complaints(Path tree, Predicate<Tree.Kind> judged) throws IOException {
    try (StandardJavaFileManager files = JAVAC.getStandardFileManager(null, null, null);
        Stream<Path> sources = Files.walk(tree)) {
      return complaints(files.getJavaFileObjectsFromPaths(
          sources.filter(path -> path.toString().endsWith(".java")).toList()), judged);
    }
  }

  @Test
  void oddWordsStayOut() throws IOException {
    List<String> complaints = new ArrayList<>();
    for (String place : WITH_PROSE) {
      try (Stream<Path> files = Files.walk(Path.of(place))) {
        for (Path file : files.filter(ProseRuleTest::hasProse).toList()) {
          odd(Files.readString(file)).forEach(word -> complaints.add(file + ": " + word));
        }
      }
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  void anOddWordIsFoundWithItsLine() {
    assertThat(odd("It shall be.\nLet's marshall it.\n// for ever\n"))
        .containsExactly("line 1: shall", "line 3: for ever");
  }

  private static boolean hasProse(Path file) {
    return TEXTS.matcher(file.toString()).matches() && !file.endsWith("ProseRuleTest.java")
        && Stream.of("target", "build").noneMatch(made -> file.toString().contains("/" + made + "/"));
  }

  private static List<String> odd(String text) {
    List<String> lines = text.lines().toList();
    return IntStream.range(0, lines.size()).boxed().flatMap(i -> ODD.matcher(lines.get(i)).results()
        .map(found -> "line " + (i + 1) + ": " + found.group())).toList();
  }

  /** Returns the sentences that are too long, with their places. */
  private static List<String> complaints(
      Iterable<? extends JavaFileObject> sources, Predicate<Tree.Kind> judged) throws IOException {
    var javac = (JavacTask) JAVAC.getTask(null, null, _ -> { }, List.of("-proc:none"), null, sources);
    DocTrees docs = DocTrees.instance(javac);
    List<String> complaints = new ArrayList<>();
    var summaries = new TreePathScanner<Void, CompilationUnitTree>() {
      @Override
      public Void visitPackage(PackageTree tree, CompilationUnitTree file) {
        judge(tree, file);
        return super.visitPackage(tree, file);
      }

      @Override
      public Void visitClass(ClassTree tree, CompilationUnitTree file) {
        judge(tree, file);
        return super.visitClass(tree, file);
      }

      @Override
      public Void visitMethod(MethodTree tree, CompilationUnitTree file) {
        judge(tree, file);
        return super.visitMethod(tree, file);
      }

      @Override
      public Void visitVariable(VariableTree tree, CompilationUnitTree file) {
        judge(tree, file);
        return super.visitVariable(tree, file);
      }

      private void judge(Tree tree, CompilationUnitTree file) {
        DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
        String sentence = comment == null || !judged.test(tree.getKind()) ? "" : text(comment);
        if (sentence.length() >= BELOW_CHARS) {
          long line = file.getLineMap().getLineNumber(docs.getSourcePositions().getStartPosition(file, tree));
          complaints.add(file.getSourceFile().getName() + ":" + line + ": " + sentence.length() + ": " + sentence);
        }
      }
    };
    javac.parse().forEach(file -> summaries.scan(file, file));
    return complaints;
  }

  private static String text(DocCommentTree comment) {
    return comment.getFirstSentence().stream().map(Object::toString).collect(Collectors.joining())
        .replaceAll("\\{@link(?:plain)? [^\\s(}]+(?:\\([^)]*\\))? ([^}]+)\\}", "$1")
        .replaceAll("\\{@\\w+ #?([^}]*)\\}", "$1")
        .replaceAll("<[^>]*>", "").replaceAll("&\\w+;", "?")
        .replaceAll("\\s+", " ").strip();
  }
}
