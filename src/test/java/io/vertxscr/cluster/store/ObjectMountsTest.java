package io.vertxscr.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.vertxscr.config.ObjectSettings;
import io.vertxscr.storage.object.ObjectFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Goal: who mounts nothing pays nothing for it. */
class ObjectMountsTest {
  @Test
  void theClientLibraryIsReachedByWayOfTheFirstMountAlone() {
    var program = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.vertxscr");
    Set<String> ofLibrary = users(program, "software.amazon.");
    Set<String> ofAdapter = users(program, S3Store.class.getName());
    Set<String> ofMount = users(program, ObjectMounts.class.getName() + "$Opened");

    assertThat(ofLibrary).containsExactly(S3Store.class.getName());
    assertThat(ofAdapter).containsExactly(ObjectMounts.class.getName() + "$Opened");
    assertThat(ofMount).containsExactly(ObjectMounts.class.getName());
  }

  private static Set<String> users(Iterable<JavaClass> program, String target) {
    return StreamSupport.stream(program.spliterator(), false)
        .filter(one -> !one.getName().startsWith(target))
        .filter(one -> one.getDirectDependenciesFromSelf().stream()
            .anyMatch(use -> use.getTargetClass().getName().startsWith(target)))
        .map(JavaClass::getName).collect(Collectors.toSet());
  }

  @Test
  void withoutAMountAllPathsAreTheMachines() {
    assertThat(ObjectMounts.files(new ObjectSettings(List.of(), 16 << 20, false), Map.of()).path("/ckpt/x"))
        .isEqualTo(Path.of("/ckpt/x"));
    assertThat(ObjectFileSystem.has(Path.of("/ckpt/x"))).isFalse();
  }
}
