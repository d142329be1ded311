package io.vertxscr.service.log;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.LayoutBase;
import ch.qos.logback.core.net.SyslogAppenderBase;
import ch.qos.logback.core.net.SyslogOutputStream;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * Sends lines of the log to a syslog daemon, a UDP datagram each (RFC 3164). What is lost on the way is lost.
 *
 * <pre>
 *   &lt;190&gt;Nov 20 11:58:51 node0 SCR: 2026-11-20T11:58:51: host=node0, jobid=439, event=CHECKPOINT_END, ...
 * </pre>
 */
final class SyslogSink implements LogSink {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ENGLISH);
  private static final int LEVELS = Syslog.LEVELS.size();

  private final Syslog to;
  private SyslogAppenderBase<LogLine> appender;

  SyslogSink(Syslog to) {
    this.to = to;
  }

  @Override
  public void append(List<LogLine> lines) {
    if (appender == null) {
      appender = open();
    }
    lines.forEach(appender::doAppend);
  }

  /** The appender itself would keep a name that cannot be resolved to itself, and drop all lines. */
  private SyslogAppenderBase<LogLine> open() {
    try {
      InetAddress.getByName(to.host());
    } catch (UnknownHostException e) {
      throw new ScrException(Fault.IO, "syslog host " + to.host() + " is not known", e);
    }
    Appender opened = new Appender();
    opened.setContext(new ContextBase());
    opened.setSyslogHost(to.host());
    opened.setPort(to.port());
    opened.setFacility(to.facility().substring("LOG_".length()));
    opened.setCharset(StandardCharsets.UTF_8);
    opened.start();
    return opened;
  }

  @Override
  public void close() {
    if (appender != null) {
      appender.stop();
      appender = null;
    }
  }

  private final class Appender extends SyslogAppenderBase<LogLine> {
    @Override
    public SyslogOutputStream createOutputStream() throws UnknownHostException, SocketException {
      return new SyslogOutputStream(getSyslogHost(), getPort());
    }

    @Override
    public int getSeverityForEvent(Object line) {
      return to.priority() % LEVELS;
    }

    @Override
    public Layout<LogLine> buildLayout() {
      return new LayoutBase<>() {
        @Override
        public String doLayout(LogLine line) {
          return "<" + to.priority() + ">" + TIME.format(line.time()) + " " + line.host() + " " + to.prefix() + ": "
              + line.encode();
        }
      };
    }
  }
}
