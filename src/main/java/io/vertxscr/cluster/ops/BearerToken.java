package io.vertxscr.cluster.ops;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Pattern;

/**
 * Proof that a request may see what operators see, as in {@code Authorization: Bearer <token>} (RFC 6750). Its text is
 * in a file, which Prometheus can read, too.
 */
public final class BearerToken {
  private static final String SCHEME = "Bearer ";
  private static final int MIN_CHARS = 16;
  private static final int MAX_CHARS = 1024;
  /** What RFC 6750 admits, and with it what needs no quotes in a header or a shell. */
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private final byte[] token;

  /**
   * Takes the content of a token file.
   *
   * @param content the token, and perhaps a line feed
   * @throws ScrException {@link Fault#BAD_CONFIGURATION} where no header can have it, or it can be guessed; it is not
   *     repeated
   */
  public BearerToken(byte[] content) {
    String text = new String(content, StandardCharsets.ISO_8859_1).stripTrailing();
    if (text.length() < MIN_CHARS || text.length() > MAX_CHARS || !FORM.matcher(text).matches()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "a token has " + MIN_CHARS + " to " + MAX_CHARS
          + " letters, digits and characters of ._~+/-, in one line; to make one:"
          + " (umask 077; head -c 32 /dev/urandom | base64 > ~/.scr-token)");
    }
    token = text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * Whether a header shows this token. Takes the same time for all that do not, of one length.
   *
   * @param authorization the header's value; null where there is none
   */
  boolean isShown(String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.ISO_8859_1), token);
  }
}
