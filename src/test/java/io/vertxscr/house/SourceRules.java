package io.vertxscr.house;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Checks of the house style on source files, as the compiler parses them. Sizes are not: a class has one idea, a
 * package one subject, however long they are.
 */
final class SourceRules {
  static final int MAX_LINE_CHARS = 120;

  private static final Pattern IMPORT = Pattern.compile("\\bimport [\\w. ]+;");

  private final List<String> complaints = new ArrayList<>();

  private SourceRules() {}

  /** Everything that is wrong with these files, as sentences that start with file and line. */
  static List<String> complaints(Iterable<? extends JavaFileObject> files) throws IOException {
    var rules = new SourceRules();
    var task = (JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, null, _ -> {}, null, null, files);
    DocTrees documents = DocTrees.instance(task);
    for (CompilationUnitTree unit : task.parse()) {
      rules.lines(unit);
      rules.imports(unit, documents.getSourcePositions());
      rules.new Scanner(unit, documents).scan(unit, null);
    }
    return rules.complaints;
  }

  private void lines(CompilationUnitTree unit) throws IOException {
    List<String> lines = unit.getSourceFile().getCharContent(false).toString().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).length() > MAX_LINE_CHARS) {
        complaints.add(unit.getSourceFile().getName() + ":" + (i + 1) + ": the line has more than "
            + MAX_LINE_CHARS + " characters");
      }
      if (lines.get(i).indexOf('\t') >= 0) {
        complaints.add(unit.getSourceFile().getName() + ":" + (i + 1) + ": the line has a tab");
      }
    }
  }

  /** A name that only a comment mentions counts as used: Javadoc links to it. */
  private void imports(CompilationUnitTree unit, SourcePositions positions) throws IOException {
    String text = IMPORT.matcher(unit.getSourceFile().getCharContent(false)).replaceAll("");
    Set<String> seen = new HashSet<>();
    for (ImportTree imported : unit.getImports()) {
      String name = imported.getQualifiedIdentifier().toString();
      String simple = name.substring(name.lastIndexOf('.') + 1);
      boolean used = Pattern.compile("\\b" + simple + "\\b").matcher(text).find();
      if (!used || !seen.add(name)) {
        complaints.add(unit.getSourceFile().getName() + ":"
            + unit.getLineMap().getLineNumber(positions.getStartPosition(unit, imported))
            + ": imports " + name + (used ? " twice" : " and does not use it"));
      }
    }
  }

  private final class Scanner extends TreePathScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final LineMap lineMap;
    private final DocTrees documents;

    Scanner(CompilationUnitTree unit, DocTrees documents) {
      this.unit = unit;
      this.lineMap = unit.getLineMap();
      this.documents = documents;
    }

    @Override
    public Void visitClass(ClassTree type, Void nothing) {
      boolean topLevel = getCurrentPath().getParentPath().getLeaf() == unit;
      if (topLevel && type.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
        check(type, documents.getDocComment(getCurrentPath()) != null,
            type.getSimpleName() + " is public and has no Javadoc");
      }
      return super.visitClass(type, nothing);
    }

    @Override
    public Void visitCatch(CatchTree caught, Void nothing) {
      check(caught, !caught.getParameter().getType().toString().contains("Throwable"), "catches Throwable");
      return super.visitCatch(caught, nothing);
    }

    /**
     * Waiting for an event is not sleeping. Changes of files by another process have no events, as the exceptions say.
     */
    @Override
    public Void visitMemberSelect(MemberSelectTree select, Void nothing) {
      boolean sleeps = select.toString().matches("(java\\.lang\\.)?Thread\\.sleep");
      check(select, !sleeps || lineOf(select).contains("// polls "), "sleeps");
      return super.visitMemberSelect(select, nothing);
    }

    private String lineOf(Tree tree) {
      try {
        long line = lineMap.getLineNumber(documents.getSourcePositions().getStartPosition(unit, tree));
        return unit.getSourceFile().getCharContent(false).toString().lines().skip(line - 1).findFirst().orElse("");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void check(Tree tree, boolean good, String otherwise) {
      if (!good) {
        long line = lineMap.getLineNumber(documents.getSourcePositions().getStartPosition(unit, tree));
        complaints.add(unit.getSourceFile().getName() + ":" + line + ": " + otherwise);
      }
    }
  }
}
