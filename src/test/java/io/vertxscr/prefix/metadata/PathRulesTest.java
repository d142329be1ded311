package io.vertxscr.prefix.metadata;

import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: no name of an application leads out of the prefix directory or into {@code .scr}. All others have one relative
 * path each. Method: a prefix with links of every kind; each name of a table is tried.
 */
class PathRulesTest {
  @TempDir
  Path temp;
  Path prefix;
  PathRules rules;

  @BeforeEach
  void makeLinks() throws IOException {
    temp = temp.toRealPath();
    prefix = Files.createDirectories(temp.resolve("p"));
    Path outside = Files.createDirectories(temp.resolve("outside"));
    Files.createDirectories(prefix.resolve("run/deep"));
    Files.createDirectories(prefix.resolve(".scr"));
    Files.createDirectories(temp.resolve("p2"));
    Files.writeString(prefix.resolve("run/file"), "x");
    Files.writeString(outside.resolve("file"), "x");
    Files.createSymbolicLink(temp.resolve("alias"), prefix);
    Files.createSymbolicLink(prefix.resolve("out"), outside);
    Files.createSymbolicLink(prefix.resolve("run/up"), Path.of("../.."));
    Files.createSymbolicLink(prefix.resolve("latest"), Path.of("run"));
    Files.createSymbolicLink(prefix.resolve("linkfile"), outside.resolve("file"));
    Files.createSymbolicLink(prefix.resolve("inlink"), Path.of("run/file"));
    Files.createSymbolicLink(prefix.resolve("nowhere"), temp.resolve("missing"));
    Files.createSymbolicLink(prefix.resolve("loop"), Path.of("loop"));
    Files.createSymbolicLink(prefix.resolve("mine"), Path.of(".scr"));
    Files.createSymbolicLink(outside.resolve("back"), prefix.resolve("run"));
    rules = new PathRules(prefix);
  }

  @ParameterizedTest
  @CsvSource({
      "run, a, run/a",
      ".,   a, a",
      "run, ./b/../a, run/a",
      "run, ../a, a",
      "run, new/deeper/a, run/new/deeper/a",
      "run, file, run/file",
      "run, ../.scrx, .scrx",
      "run, ..., run/...",
      "latest, a, run/a",
      ".,   latest/deep/a, run/deep/a",
      ".,   inlink, run/file",
  })
  void aNameBelowThePrefixGetsItsOneRelativePath(String directory, String name, String relative) {
    PathRules.Place place = rules.place(prefix.resolve(directory).toString(), name);
    assertThat(place).isEqualTo(new PathRules.Place(prefix.resolve(relative).toString(), relative));
    assertThat(rules.place("/", prefix.resolve(directory) + "/" + name)).isEqualTo(place);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "../x", "../../../../../../../../etc/passwd", "/etc/passwd", "..", "/", "run/../../x", "../p2/x",
      "../outside/file", "out/x", "out/new/x", "out", "linkfile", "nowhere", "nowhere/x", "loop", "loop/x", "run/up/x",
      "run/up/outside/x", "latest/up/x"})
  void aNameThatLeadsOutIsRefusedWithPathAndPrefix(String name) {
    refused(Fault.OUTSIDE_PREFIX, () -> rules.place(prefix.toString(), name), "'" + name + "'", prefix.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {
      ".", "run", "run/", "run/.", "latest", "new/", ".scr", ".scr/x", ".scr/index.scr", "run/../.scr/x", "mine/x",
      "mine", "run/file/x", "run/up/p", "run/up/p/.scr/x"})
  void aNameThatCannotBeAFileIsRefused(String name) {
    refused(Fault.BAD_REQUEST, () -> rules.place(prefix.toString(), name), "'" + name + "'");
  }

  @Test
  void emptyLongAndUnprintableNamesAreRefused() {
    String p = prefix.toString();
    refused(Fault.BAD_REQUEST, () -> rules.place(p, ""));
    refused(Fault.BAD_REQUEST, () -> rules.place(p, null));
    refused(Fault.BAD_REQUEST, () -> rules.place(p, "a\0b"));
    refused(Fault.BAD_REQUEST, () -> rules.place(p, "a".repeat(256)), "255");
    refused(Fault.BAD_REQUEST, () -> rules.place(p, "ä".repeat(128)), "255");
    refused(Fault.BAD_REQUEST, () -> rules.place(p, "a/".repeat(Limits.MAX_NAME_CHARS / 2) + "b"), "1025 characters");
    refused(Fault.BAD_REQUEST, () -> rules.place("relative", "a"), "relative");
    refused(Fault.BAD_REQUEST, () -> rules.place(null, "a"));
    assertThat(rules.place(p, "a".repeat(255)).relative()).hasSize(255);
    assertThat(rules.place(p, "a/".repeat(Limits.MAX_NAME_CHARS / 2 - 1) + "b").relative()).endsWith("a/b");
  }

  @Test
  void thePrefixMayBeReachedThroughALink() {
    String through = temp.resolve("alias/run/a").toString();
    assertThat(rules.place("/", through).absolute()).isEqualTo(prefix.resolve("run/a").toString());
    PathRules linked = new PathRules(temp.resolve("alias"));
    assertThat(linked.place("/", through).absolute()).isEqualTo(through);
    assertThat(linked.place("/", prefix.resolve("run/a").toString()).absolute()).isEqualTo(through);
    assertThat(linked.place("/", temp.resolve("outside/back/a").toString()).absolute()).isEqualTo(through);
    refused(Fault.OUTSIDE_PREFIX, () -> linked.place(temp.resolve("alias").toString(), "out/x"));
  }

  @Test
  void aPrefixThatDoesNotExistYetIsNoTrouble() {
    Path later = temp.resolve("later/prefix");
    PathRules rules = new PathRules(later);
    assertThat(rules.place(later.toString(), "d/x").relative()).isEqualTo("d/x");
    refused(Fault.OUTSIDE_PREFIX, () -> rules.place(later.toString(), "../x"), later.toString());
    refused(Fault.BAD_REQUEST, () -> new PathRules(prefix.resolve("run/file")), "not a directory");
    refused(Fault.BAD_REQUEST, () -> new PathRules(Path.of("relative")), "relative");
  }

  @Test
  void withoutLookingWhatWasSeenCountsAndTheRestIsTakenLiterally() {
    rules.place("/", prefix + "/latest/a");
    PathRules blind = rules.withoutLooking();
    assertThat(blind.place("/", prefix + "/latest/b").relative()).isEqualTo("run/b");
    assertThat(blind.place("/", prefix + "/latest/new/c").relative()).isEqualTo("run/new/c");
    assertThat(blind.place(prefix.toString(), "run/../out/x").relative()).as("found when it is copied")
        .isEqualTo("out/x");
    PathRules never = PathRules.withoutLooking(prefix);
    assertThat(never.place("/", prefix + "/latest/b").relative()).isEqualTo("latest/b");
    for (PathRules some : List.of(blind, never)) {
      for (String bad : List.of(temp + "/outside/x", prefix + "/../p2/x", prefix + "/.scr/x", prefix + "/.scr",
          prefix + "/run/", prefix.toString())) {
        assertThatThrownBy(() -> some.place("/", bad)).as(bad).isInstanceOf(ScrException.class);
      }
    }
  }
}
