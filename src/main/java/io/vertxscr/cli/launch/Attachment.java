package io.vertxscr.cli.launch;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The pipes between {@code scr run} and a daemon that it has started, lines of text.
 *
 * <pre>
 *   to the daemon     {"secret":"&lt;hex&gt;","members":["n1:5701",...],"variables":{...}}     first
 *                     ping
 *                     ended from outside                                     the program, by a signal; or it will be
 *                     end of file: the daemon is to stop
 *   from the daemon   node n1 is ready: ... socket /tmp/...                as without a launcher
 *                     pong {"members":["n1",...]}
 *                     event {"type":"phase-started",...}                   of this node, as on scr.events
 * </pre>
 *
 * The secret and the user's variables are in no file and no process list. However the launcher ends, the end of the
 * pipe ends the daemon.
 */
public final class Attachment {
  static final String PING = "ping";
  static final String ENDED_FROM_OUTSIDE = "ended from outside";
  static final String PONG = "pong ";
  static final String EVENT = "event ";
  private static final String SECRET = "secret";
  private static final String MEMBERS = "members";
  private static final String VARIABLES = "variables";

  private final BufferedReader lines;
  private final byte[] secret;
  private final List<String> members;
  private final Map<String, String> variables;

  private Attachment(
      BufferedReader lines, byte[] secret, List<String> members, Map<String, String> variables) {
    this.lines = lines;
    this.secret = secret;
    this.members = members;
    this.variables = variables;
  }

  /** The first line that a launcher writes. */
  static String header(byte[] secret, List<String> members, Map<String, String> variables) {
    JsonObject all = new JsonObject();
    variables.forEach(all::put);
    return new JsonObject().put(SECRET, HexFormat.of().formatHex(secret)).put(MEMBERS, new JsonArray(members))
        .put(VARIABLES, all).encode();
  }

  /**
   * Reads the first line.
   *
   * @throws ScrException BAD_CONFIGURATION where there is none, or another one
   */
  public static Attachment read(InputStream in) {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    try {
      String line = lines.readLine();
      if (line == null) {
        throw bad("there is none");
      }
      JsonObject header = new JsonObject(line);
      return new Attachment(lines, HexFormat.of().parseHex(header.getString(SECRET)),
          header.getJsonArray(MEMBERS).stream().map(String.class::cast).toList(), variables(header));
    } catch (DecodeException | ClassCastException | IllegalArgumentException | NullPointerException e) {
      throw bad(e.getMessage());
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "standard input cannot be read: " + ScrException.reason(e), e);
    }
  }

  private static Map<String, String> variables(JsonObject header) {
    Map<String, String> variables = new TreeMap<>();
    header.getJsonObject(VARIABLES).forEach(one -> {
      if (!one.getKey().startsWith("SCR_")) {
        throw bad(one.getKey() + " is no variable of ours");
      }
      variables.put(one.getKey(), (String) one.getValue());
    });
    return variables;
  }

  private static ScrException bad(String what) {
    return new ScrException(Fault.BAD_CONFIGURATION,
        "--attached: standard input must begin with the line of a launcher: " + what);
  }

  public byte[] secret() {
    return secret.clone();
  }

  /** The environment with the variables of the job, which are the launcher's. */
  public Map<String, String> over(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(variables);
    return all;
  }

  /** Nodes that may be there, {@code host:port}. */
  public List<String> members() {
    return members;
  }

  /** Answers until the pipe ends, and returns then. Blocks. */
  public void follow(LauncherPipe out, Supplier<Set<String>> seen, Runnable endedFromOutside) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(PING)) {
          out.tell(PONG + new JsonObject().put(MEMBERS, new JsonArray(List.copyOf(seen.get()))).encode());
        } else if (line.equals(ENDED_FROM_OUTSIDE)) {
          endedFromOutside.run();
        }
      }
    } catch (IOException _) {
      // Same as its end: the launcher is gone.
    }
  }

  /** A line for an event of this node. */
  public static String line(JsonObject event) {
    return EVENT + event.encode();
  }

  /** The members of a pong. */
  static Set<String> membersOf(String pong) {
    return Set.copyOf(new JsonObject(pong.substring(PONG.length())).getJsonArray(MEMBERS).stream()
        .map(String.class::cast).toList());
  }
}
