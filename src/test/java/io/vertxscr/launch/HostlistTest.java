package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: host lists mean what Slurm and Flux mean by them; every other text is refused. */
class HostlistTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "n1                      | n1",
      "n1,n2                   | n1 n2",
      "n[001-003,7]            | n001 n002 n003 n7",
      "n[9-11]                 | n9 n10 n11",
      "n[09-11]                | n09 n10 n11",
      "n[099-101]-ib           | n099-ib n100-ib n101-ib",
      "r[1-2]n[08-09]          | r1n08 r1n09 r2n08 r2n09",
      "a,b[3],c-1.site.org     | a b3 c-1.site.org",
      "n[2,1,2]                | n2 n1 n2",
      "[1-2]                   | 1 2",
      "' n[1-2] '              | n1 n2",
      "login-0,gpu[0-1],gpu[4] | login-0 gpu0 gpu1 gpu4"})
  void listsAreExpanded(String list, String hosts) {
    assertThat(Hostlist.expand(list)).containsExactly(hosts.split(" "));
  }

  @Test
  void anEmptyListHasNoHosts() {
    assertThat(Hostlist.expand("")).isEmpty();
    assertThat(Hostlist.expand("  ")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {",", "a,", ",a", "a,,b", "n[", "n[]", "n[1", "n[1-", "n[1-]", "n[-1]", "n[1,]", "n[,1]", "n]",
      "n[3-1]", "n[a-b]", "n[1-2-3]", "n[1 2]", "a b", "n[1234567890]", "n[0-131072]", "n[0-999][0-999]",
      "n[0-99999],m[0-99999]", "n[[1]]"})
  void everythingElseIsRefusedWithItsPlace(String list) {
    assertThatThrownBy(() -> Hostlist.expand(list)).isInstanceOf(ScrException.class)
        .hasMessageMatching("(?s)host list '.*', character \\d+: .*")
        .extracting(e -> ((ScrException) e).fault()).isEqualTo(Fault.BAD_CONFIGURATION);
  }

  @Test
  void listsOfAllShapesComeBackAsTheyWereMade() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("HostlistTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      List<String> hosts = new ArrayList<>();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        text.append(text.isEmpty() ? "" : ",").append(name(random, hosts));
      }
      assertThat(Hostlist.expand(text.toString())).as(text.toString()).isEqualTo(hosts);
    }
  }

  /** A name of letters and up to two brackets; the hosts that it means, counted out one by one. */
  private static String name(Random random, List<String> hosts) {
    StringBuilder text = new StringBuilder("h");
    List<String> names = List.of("h");
    for (int brackets = random.nextInt(3); brackets > 0; brackets--) {
      int width = 1 + random.nextInt(4);
      int from = random.nextInt(120);
      int to = from + random.nextInt(12);
      String format = "%0" + width + "d";
      text.append('[').append(format.formatted(from)).append('-').append(to).append("]x");
      List<String> longer = new ArrayList<>();
      for (String front : names) {
        for (int i = from; i <= to; i++) {
          longer.add(front + format.formatted(i) + "x");
        }
      }
      names = longer;
    }
    hosts.addAll(names);
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "n1                      | n1",
      "n2 n1 n4 n3 n7          | n[1-4,7]",
      "n9 n10 n11              | n[9-11]",
      "n098 n099 n100 n101     | n[098-101]",
      "n1 n01 n001             | n1,n01,n001",
      "a b3 b4 c-1.site.org    | b[3-4],a,c-1.site.org"})
  void hostsAreCompressed(String hosts, String list) {
    assertThat(Hostlist.compress(List.of(hosts.split(" ")))).isEqualTo(list);
  }

  @Test
  void whatIsCompressedIsExpandedToTheSameHosts() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("HostlistTest -Dseed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      Set<String> hosts = new TreeSet<>();
      for (int i = random.nextInt(30); i >= 0; i--) {
        String format = "%0" + (1 + random.nextInt(4)) + "d";
        hosts.add((random.nextBoolean() ? "n" : "r1n") + format.formatted(random.nextInt(1 + random.nextInt(1200)))
            + (random.nextInt(5) == 0 ? "-ib" : ""));
      }
      assertThat(Hostlist.expand(Hostlist.compress(hosts))).containsExactlyInAnyOrderElementsOf(hosts);
    }
  }

  @Test
  void noTruncationIsTakenForAnotherList() {
    String whole = "r[1-2]n[08-11],s7";
    for (int length = 1; length < whole.length(); length++) {
      String part = whole.substring(0, length);
      try {
        assertThat(Hostlist.expand(part)).as(part).allMatch(host -> host.matches("r(\\d(n(\\d\\d)?)?)?|s"));
      } catch (ScrException e) {
        assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION);
      }
    }
  }
}
