package io.vertxscr.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertxscr.model.Fault;

/** All classes of the program and of its tests, each read once for all house rules. */
final class Imported {
  private Imported() {}

  private static final class Program {
    private static final JavaClasses CLASSES = beside(Fault.class);
  }

  private static final class Tests {
    private static final JavaClasses CLASSES = beside(Imported.class);
  }

  static JavaClasses program() {
    return Program.CLASSES;
  }

  static JavaClasses tests() {
    return Tests.CLASSES;
  }

  private static JavaClasses beside(Class<?> one) {
    return new ClassFileImporter().importUrl(one.getProtectionDomain().getCodeSource().getLocation());
  }
}
