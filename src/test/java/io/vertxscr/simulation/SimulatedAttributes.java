package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.storage.userspace.UserspaceAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What a file's attributes were when they were read. Immutable. */
record SimulatedAttributes(long number, boolean isDirectory, long size, long modifiedNs, long changedNs, int links,
    Set<PosixFilePermission> permissions) implements UserspaceAttributes {
  static final GroupPrincipal OWNER = () -> "user";

  static SimulatedAttributes of(Inode file) {
    return new SimulatedAttributes(file.number, file.isDirectory(), file.size(), file.modifiedNs, file.changedNs,
        file.links, file.mode);
  }

  static FileTime time(long ns) {
    return FileTime.from(ns, TimeUnit.NANOSECONDS);
  }

  @Override
  public GroupPrincipal group() {
    return OWNER;
  }

  @Override
  public FileTime lastModifiedTime() {
    return time(modifiedNs);
  }

  @Override
  public Object fileKey() {
    return number;
  }
}
