package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.flow.restart.ShardCatalog.Shard;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: a name means one file of the dataset or none, and its bytes are found where they are. */
class ShardCatalogTest {
  private final ShardCatalog catalog = new ShardCatalog();

  private static FileMeta file(String path, long bytes) {
    return new FileMeta("rank.0/x", path, bytes, OptionalInt.of(1));
  }

  @Test
  void aFileIsFoundByItsPathWithWhereItBeginsAmongTheFilesOfItsRank() {
    RankFiles second = new RankFiles(5, List.of(file("d/a", 3), file("d/b", 0), file("e/a", 4)));
    catalog.add("n1", List.of(new RankFiles(2, List.of(file("d/c", 9))), second));
    assertThat(catalog.at("e/a")).contains(new Shard("n1", second, second.files().get(2), 3));
    assertThat(catalog.at("a")).isEmpty();
    assertThat(catalog.find("d/b", "../d/b", _ -> true)).extracting(Shard::writer, Shard::at).containsExactly(5, 3L);
  }

  @Test
  void aBaseNameIsEnoughWhereOnlyOneFileHasIt() {
    catalog.add("n1", List.of(new RankFiles(0, List.of(file("d/a", 3), file("d/b", 1)))));
    catalog.add("n2", List.of(new RankFiles(1, List.of(file("e/a", 3)))));
    assertThat(catalog.find("", "/elsewhere/b", _ -> true).file().path()).isEqualTo("d/b");
    assertThat(catalog.find("", "a", shard -> shard.writer() == 1).file().path()).isEqualTo("e/a");
    assertThatThrownBy(() -> catalog.find("a", "a", _ -> true)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_FILE))
        .hasMessage("ambiguous, give one of the paths d/a, e/a");
    assertThatThrownBy(() -> catalog.find("d/x", "d/x", _ -> true)).hasMessageContaining("no rank wrote");
    assertThatThrownBy(() -> catalog.find("d/b", "d/b", shard -> shard.writer() == 1)).as("of another rank")
        .hasMessageContaining("no rank wrote");
  }

  @Test
  void aListThatComesTwiceChangesNothingAndALongOneIsNotSaidInFull() {
    List<RankFiles> ranks = IntStream.range(0, 9)
        .mapToObj(rank -> new RankFiles(rank, List.of(file(rank + "/a", 1)))).toList();
    catalog.add("n1", ranks);
    catalog.add("n1", ranks);
    assertThat(catalog.find("", "a", shard -> shard.writer() == 8).file().path()).isEqualTo("8/a");
    assertThatThrownBy(() -> catalog.find("", "a", _ -> true))
        .hasMessageEndingWith("0/a, 1/a, 2/a, 3/a, 4/a and 4 more");
  }
}
