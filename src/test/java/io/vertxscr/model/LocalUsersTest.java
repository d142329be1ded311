package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: nobody is trusted but root and this user. Method: users and groups by their names. */
class LocalUsersTest {
  private record User(String getName) implements UserPrincipal {
    @Override
    public String toString() {
      return getName;
    }
  }

  @ParameterizedTest
  @CsvSource({"scr, true", "root, true", "other, false", "'', false"})
  void rootAndThisUserAreTrusted(String owner, boolean trusted) {
    assertThat(new LocalUsers(new User("scr"), new User("root")).isTrusted(new User(owner))).isEqualTo(trusted);
  }

  @ParameterizedTest
  @CsvSource({"scr, scr, false", "scr, root, false", "root, root, false", "10001, root, true", "users, scr, true",
      "users, root, true", "other, other, false", "root, scr, true"})
  void aGroupOfTheNameOfTheOwnerOrOfThisUserIsNotShared(String group, String owner, boolean shared) {
    GroupPrincipal ofFile = new GroupPrincipal() {
      @Override
      public String getName() {
        return group;
      }

      @Override
      public String toString() {
        return group;
      }
    };
    assertThat(new LocalUsers(new User("scr"), new User("root")).isShared(ofFile, new User(owner))).isEqualTo(shared);
  }
}
