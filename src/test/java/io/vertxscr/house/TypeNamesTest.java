package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Goal: a simple name means one type of the program. A reader who meets it needs no import to know it. Method: every
 * class of the program, nested ones included. Two kinds of nested types may share a name. A private one, which nobody
 * meets outside its file; and a variant of a sealed type within which it is declared, because it is always written with
 * that type, as {@code Signal.Ended}.
 */
@Execution(ExecutionMode.CONCURRENT)
class TypeNamesTest {
  @Test
  void aSimpleNameMeansOneType() throws ClassNotFoundException {
    assertThat(shared()).isEmpty();
  }

  @Test
  void privateTypesAndVariantsOfASealedTypeMayShareTheirNamesAndNoOthers() throws ClassNotFoundException {
    assertThat(isCounted(First.Shared.class)).isTrue();
    assertThat(isCounted(Hidden.class)).isFalse();
    assertThat(isCounted(Hidden.Inner.class)).isFalse();
    assertThat(isCounted(First.Sealed.Variant.class)).isFalse();
    assertThat(isCounted(First.Sealed.Other.class)).isTrue();
    assertThat(isCounted(Class.forName(TypeNamesTest.class.getName() + "$Second$Shared"))).isTrue();
  }

  private static Set<String> shared() throws ClassNotFoundException {
    var names = new TreeMap<String, Set<String>>();
    for (JavaClass type : Imported.program()) {
      if (!type.getSimpleName().isEmpty() && !type.getSimpleName().equals("package-info")) {
        Class<?> loaded = Class.forName(type.getName(), false, TypeNamesTest.class.getClassLoader());
        if (isCounted(loaded)) {
          names.computeIfAbsent(loaded.getSimpleName(), _ -> new TreeSet<>()).add(loaded.getName());
        }
      }
    }
    return names.entrySet().stream().filter(one -> one.getValue().size() > 1).map(one -> one.getKey())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isCounted(Class<?> type) {
    if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
      return false;
    }
    for (Class<?> at = type; at != null; at = at.getDeclaringClass()) {
      if (Modifier.isPrivate(at.getModifiers())) {
        return false;
      }
    }
    Class<?> outer = type.getDeclaringClass();
    return outer == null || !outer.isSealed() || !outer.isAssignableFrom(type);
  }

  /** Holds one of each kind. */
  static final class First {
    /** Stands twice. */
    record Shared() {}

    /** Has a variant, and a type that is none. */
    sealed interface Sealed {
      /** A variant. */
      record Variant() implements Sealed {}

      /** Not a variant. */
      record Other() {}
    }
  }

  /** Holds the double. */
  static final class Second {
    /** Stands twice. */
    record Shared() {}
  }

  /** Not met outside. */
  private static final class Hidden {
    /** Nor is this. */
    record Inner() {}
  }
}
