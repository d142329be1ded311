package io.vertxscr.storage.userspace;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;

/** A view by which mode and time of a file can be set, and nothing else. */
public abstract class UserspaceAttributeView implements PosixFileAttributeView {
  private final UserPrincipal owner;

  /** @param owner of all files */
  protected UserspaceAttributeView(UserPrincipal owner) {
    this.owner = owner;
  }

  /** Sets the time of the last change. */
  protected abstract void setModified(FileTime modified) throws IOException;

  @Override
  public final String name() {
    return "posix";
  }

  @Override
  public final void setTimes(FileTime modified, FileTime accessed, FileTime created) throws IOException {
    if (modified != null) {
      setModified(modified);
    }
  }

  @Override
  public final UserPrincipal getOwner() {
    return owner;
  }

  @Override
  public final void setOwner(UserPrincipal owner) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final void setGroup(GroupPrincipal group) {
    throw new UnsupportedOperationException();
  }
}
