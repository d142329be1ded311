package io.vertxscr.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a daemon that cannot answer is passed over. A refusal is told, and nobody is asked again. */
@Execution(ExecutionMode.CONCURRENT)
class LocalDaemonsTest {
  private static final List<Path> DAEMONS = List.of(Path.of("a"), Path.of("b"), Path.of("c"));

  private final List<Path> asked = new ArrayList<>();

  /** Those that are not named answer. */
  private JsonObject any(Map<String, Fault> faults) throws InterruptedException {
    return LocalDaemons.any(DAEMONS, daemon -> {
      asked.add(daemon);
      if (faults.containsKey(daemon.toString())) {
        throw new ScrException(faults.get(daemon.toString()), "of " + daemon);
      }
      return new JsonObject().put("from", daemon.toString());
    });
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = {"NODE_LOST", "TIMEOUT", "STOPPING", "INTERNAL"})
  void theNextOneIsAskedWhereOneCannotAnswer(Fault fault) throws Exception {
    assertThat(any(Map.of("a", fault)).getString("from")).isEqualTo("b");
    assertThat(asked).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = {"BAD_REQUEST", "WRONG_STATE", "TOO_MANY_LOST", "NO_SPACE"})
  void aRefusalIsToldThoughOthersAreGone(Fault fault) {
    assertThatThrownBy(() -> any(Map.of("a", Fault.NODE_LOST, "b", fault, "c", Fault.NODE_LOST)))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(fault)).hasMessage("of b");
    assertThat(asked).hasSize(2);
  }

  @Test
  void whereNobodyAnswersTheLastReasonIsTold() {
    assertThatThrownBy(() -> any(Map.of("a", Fault.TIMEOUT, "b", Fault.NODE_LOST, "c", Fault.TIMEOUT)))
        .isInstanceOf(ScrException.class).hasMessage("of c");
    assertThat(asked).hasSize(3);
    assertThatThrownBy(() -> any(Map.of("a", Fault.NODE_LOST, "b", Fault.TIMEOUT, "c", Fault.NODE_LOST)))
        .as("one is there").isInstanceOf(ScrException.class).hasMessage("of b");
  }
}
