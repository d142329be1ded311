package io.vertxscr.model;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which release of the program this is. */
public final class Release {
  /** Release of the build, as returned by SCR_Get_version. */
  public static final String NAME = read();

  private Release() {}

  private static String read() {
    Properties properties = new Properties();
    try (InputStream in = Release.class.getResourceAsStream("/io/vertxscr/version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("the build's version.properties cannot be read", e);
    }
    return properties.getProperty("version");
  }
}
