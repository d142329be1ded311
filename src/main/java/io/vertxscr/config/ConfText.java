package io.vertxscr.config;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Text of a configuration file.
 *
 * @param place where it stands, for messages
 */
public record ConfText(String place, List<String> lines) {
  public ConfText {
    lines = List.copyOf(lines);
  }

  /**
   * Reads a file. Blocks.
   *
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} naming the file, also if it is too large
   */
  public static ConfText read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(Limits.MAX_CONF_FILE_BYTES + 1);
      if (bytes.length > Limits.MAX_CONF_FILE_BYTES) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "configuration file " + file + " has more than "
            + Limits.MAX_CONF_FILE_BYTES + " bytes");
      }
      return new ConfText(file.toString(),
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().lines().toList());
    } catch (CharacterCodingException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "configuration file " + file + " is no text in UTF-8", e);
    } catch (IOException e) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "configuration file " + file + " cannot be read: "
          + ScrException.reason(e), e);
    }
  }
}
