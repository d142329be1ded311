package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.config.Configuration;
import io.vertxscr.config.UserSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what is configured for the launcher is heard, from everybody who may say it. */
class LaunchSettingsTest {
  @TempDir
  private Path prefix;

  private LaunchSettings settings(Map<String, String> environment, String... calls) {
    Configuration system = Configuration.ofSystem(environment, Optional.empty());
    return LaunchSettings.of(
        system.with(new UserSettings(Optional.of(prefix), environment, List.of(calls))).effective());
  }

  @Test
  void withoutAWordThereIsOneRunAndNoWatchdog() {
    assertThat(settings(Map.of())).isEqualTo(new LaunchSettings(1, 0, Set.of(), false, OptionalLong.empty(), 0));
  }

  @Test
  void theEnvironmentIsHeardBeforeTheUsersFile() throws Exception {
    Files.writeString(prefix.resolve(".scrconf"), "SCR_RUNS=7\nSCR_WATCHDOG_TIMEOUT=90\nSCR_MIN_NODES=3\n"
        + "SCR_HALT_SECONDS=600\n");
    assertThat(settings(Map.of("SCR_RUNS", "-1", "SCR_EXCLUDE_NODES", "n[1-2]", "SCR_WATCHDOG", "1")))
        .isEqualTo(new LaunchSettings(-1, 3, Set.of("n1", "n2"), true, OptionalLong.of(90_000), 600));
  }

  @Test
  void theApplicationIsTooLateToSayIt() {
    assertThat(settings(Map.of(), "SCR_RUNS=3").runs()).isEqualTo(1);
    assertThat(Configuration.ofSystem(Map.of(), Optional.empty())
        .with(new UserSettings(Optional.of(prefix), Map.of(), List.of("SCR_RUNS=3"))).effective().ignored())
        .singleElement().asString().contains("SCR_RUNS=3 has no effect: scr run has read it already");
    assertThatThrownBy(() -> settings(Map.of("SCR_RUNS", "-2"))).hasMessageContaining("from -1 to");
    assertThatThrownBy(() -> settings(Map.of("SCR_EXCLUDE_NODES", "n["))).hasMessageContaining("host list 'n['");
  }
}
