package io.vertxscr.cli;

import io.vertxscr.cli.daemon.LocalDaemons;
import io.vertxscr.cli.launch.Attachment;
import io.vertxscr.cli.launch.LauncherPipe;
import io.vertxscr.cli.launch.OwnAddress;
import io.vertxscr.cluster.HazelcastConfig;
import io.vertxscr.cluster.ops.BearerToken;
import io.vertxscr.cluster.ops.OperatorsAddress;
import io.vertxscr.cluster.peer.PeerSecurity;
import io.vertxscr.cluster.peer.TrustedNetworks;
import io.vertxscr.cluster.store.ObjectMounts;
import io.vertxscr.cluster.tls.ClusterAuthority;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.ObjectSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.ClusteredNode;
import io.vertxscr.node.NodeOptions;
import io.vertxscr.transfer.ThreadPriority;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the daemon of one compute node, until it is told to end. */
@Command(name = NodeCommand.NAME, description = "Run the daemon of this compute node.")
final class NodeCommand implements Callable<Integer> {
  static final String NAME = "node";
  private static final Logger LOG = LoggerFactory.getLogger(NodeCommand.class);
  /** Threads of the JVM's second compiler. */
  private static final String COMPILER = "C2 Compiler";
  /** A sixtieth of what a rank gets of a processor that both want. */
  private static final int COMPILER_NICE = 19;
  private static final int LARGEST_PORT = 65_535;
  private static final Pattern MEMBER = Pattern.compile("(\\[[0-9a-fA-F:.%]+\\]|[^:\\s\\[\\]]+):[0-9]{1,5}");

  private final Map<String, String> environment;

  @Spec
  private CommandSpec spec;

  @Option(names = "--name", description = "Name of the node; the host name if not given.")
  private String name;

  @Option(names = "--host", paramLabel = "ADDRESS", description = {
      "Address or name of this host in the cluster;", "if not given, the address that leads to the --members."})
  private String host;

  @Option(names = "--port", defaultValue = "5701", description = "Port of the cluster (${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "--members", split = ",", paramLabel = "HOST:PORT",
      description = "Seed members, usually all nodes of the allocation; without them a new cluster begins.")
  private List<String> members = List.of();

  @Option(names = "--kubernetes-service", paramLabel = "NAME",
      description = "DNS name of the headless service with the addresses of all nodes, instead of --members.")
  private String kubernetesService;

  @Option(names = "--peer-port", defaultValue = "0", paramLabel = "PORT",
      description = "Port for the bytes that nodes read of each other; 0 for any.")
  private int peerPort;

  @Option(names = "--bus-port", defaultValue = "0", paramLabel = "PORT",
      description = "Port for the messages of other nodes; 0 for any.")
  private int busPort;

  @Option(names = "--http-host", defaultValue = "127.0.0.1", paramLabel = "ADDRESS", description = {
      "Address of the dashboard, /metrics and /health (${DEFAULT-VALUE}, for this host alone).",
      "Prometheus on another host needs an address that it reaches."})
  private String httpHost;

  @Option(names = "--http-port", defaultValue = "0", paramLabel = "PORT",
      description = "Port of the dashboard, /metrics and /health; 0 for any, off for none.")
  private String httpPort;

  @Option(names = "--http-token-file", paramLabel = "FILE", description = {
      "Who asks for /metrics, why a node is not ready, or what the dashboard shows must show this token;",
      "open to this user alone."})
  private Path httpTokenFile;

  @Option(names = "--http-action-token-file", paramLabel = "FILE", description = {
      "Who shows this other token on the dashboard may act there: halt, flush, drop;", "without it nobody may."})
  private Path httpActionTokenFile;

  @Option(names = "--traces", paramLabel = "DIRECTORY", description = {
      "Jars of OpenTelemetry's SDK and exporters: spans of phases and flushes are exported as the variables OTEL_*",
      "say. Without it there are no traces."})
  private Path traces;

  @Option(names = "--config", paramLabel = "FILE",
      description = "Configuration of the system; conf/scr.conf of the installation if not given.")
  private Path config;

  @Option(names = "--secret-file", paramLabel = "FILE",
      description = {"Secret of the cluster, at least 16 bytes, the same on all nodes; open to this user alone.",
          "Given twice: nodes with the second one are trusted, too, so that it can be replaced."})
  private List<Path> secretFiles = List.of();

  @Option(names = "--tls-cert", paramLabel = "FILE",
      description = "Certificate of this daemon, in PEM, with those up to the authority; instead of a secret.")
  private Path tlsCert;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its key, RSA or EC, without a password.")
  private Path tlsKey;

  @Option(names = "--tls-ca", paramLabel = "FILE",
      description = "Authorities of all daemons; each certificate of theirs is a member's.")
  private Path tlsCa;

  @Option(names = "--trusted-network", split = ",", paramLabel = "CIDR", description = {
      "Networks on which nobody reads or changes packets: bytes of datasets are not encrypted there,",
      "where both daemons say so."})
  private List<String> trustedNetworks = List.of();

  @Option(names = "--attached", description = {
      "Standard input is a launcher's: its first line has secret and members, its end stops the daemon."})
  private boolean attached;

  @Option(names = "--verticles", paramLabel = "DIRECTORY",
      description = "Descriptions of the verticles, and jars with a site's classes; default: those of the program.")
  private Path verticles;

  @Option(names = "--no-direct-reads", description = "Read files of nodes on this host over connections, too.")
  private boolean noDirectReads;

  @Option(names = "--rehearse", hidden = true, description = "Serve a run of its own, and end.")
  private boolean rehearse;

  NodeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException, IOException {
    checkPort("--port", port, 1);
    checkPort("--peer-port", peerPort, 0);
    checkPort("--bus-port", busPort, 0);
    members.forEach(this::checkMember);
    OptionalInt operators = httpPort();
    if (kubernetesService != null && !members.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--kubernetes-service finds the nodes: no --members beside it");
    }
    if (name != null) {
      try {
        Names.node(name);
      } catch (ScrException e) {
        throw new ParameterException(spec.commandLine(), "--name: " + e.getMessage(), e);
      }
    }
    Optional<Attachment> launcher = attached ? Optional.of(Attachment.read(System.in)) : Optional.empty();
    Map<String, String> all = launcher.map(attachment -> attachment.over(environment)).orElse(environment);
    Optional<Path> file = Optional.ofNullable(config).or(() -> Configuration.systemFile(all));
    Settings settings = Settings.load(all, file);
    settings.system().effective().ignored().forEach(LOG::warn);
    launcher.ifPresent(attachment -> members = attachment.members());
    String address = OwnAddress.of(Optional.ofNullable(host), members);
    String nodeName = name != null ? name : InetAddress.getLocalHost().getHostName();
    String cluster = "scr-" + settings.job().user() + "-" + settings.job().id();
    PeerSecurity security = new PeerSecurity(
        credentials(launcher, settings, address, cluster), TrustedNetworks.of(trustedNetworks));
    Optional<BearerToken> token = token(httpTokenFile);
    Optional<BearerToken> actionToken = token(httpActionTokenFile);
    NodeOptions options = new NodeOptions(nodeName, settings, security, address, peerPort, !noDirectReads,
        ObjectMounts.files(ObjectSettings.of(settings.system()), all));
    if (rehearse) {
      new AotTraining(options, cluster, settings.cache().cacheBase().resolve("prefix")).run();
      return 0;
    }
    ClusteredNode node = ClusteredNode.start(new ClusteredNode.Options(options,
        new HazelcastConfig.Network(cluster, address, port, members, Optional.ofNullable(kubernetesService)), busPort,
        operators.isPresent() ? Optional.of(new OperatorsAddress(httpHost, operators.getAsInt(), token, actionToken))
            : Optional.empty(), Optional.ofNullable(verticles), StatusAttention::json, Optional.ofNullable(traces)));
    PrintWriter out = spec.commandLine().getOut();
    Optional<LauncherPipe> pipe = launcher.map(_ -> new LauncherPipe(out));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      LOG.info("node {} stops", nodeName);
      node.close();
      pipe.ifPresent(LauncherPipe::close);
      LOG.info("node {} has stopped", nodeName);
      // Without this the exit code would be that of a process which the signal has killed.
      Runtime.getRuntime().halt(0);
    }, "scr-stop"));
    node.watch(why -> {
      LOG.error("node {} ends itself: {}", nodeName, why);
      Runtime.getRuntime().halt(ScrCommand.FAILED);       // a clean stop would wait for what hangs
    });
    // this process is the daemon's: compilers yield to ranks as soon as they have done what a first restart needs
    node.warm().onSuccess(_ -> Thread.ofPlatform().daemon().name("scr-calm").start(
        () -> ThreadPriority.lower(Path.of("/proc/self/task"), COMPILER, COMPILER_NICE)));
    pipe.ifPresent(told -> node.onEvent(event -> told.tell(Attachment.line(event))));
    String ready = "node " + nodeName + " is ready: cluster " + address + ":" + port + " with "
        + (node.members().size() == 1 ? "no other node" : node.members().size() + " nodes") + ", peers "
        + address + ":" + node.peerPort() + ", http "
        + (node.httpPort().isPresent() ? httpHost + ":" + node.httpPort().getAsInt() : "off")
        + ", socket " + node.socket();
    pipe.ifPresentOrElse(told -> told.tell(ready), () -> out.println(ready));
    if (launcher.isPresent()) {
      launcher.get().follow(pipe.orElseThrow(), node::members, node::endedFromOutside);
      return 0;                                           // the hook above stops the node
    }
    new CountDownLatch(1).await();                        // until a signal ends the process
    return 0;
  }

  private Credentials credentials(
      Optional<Attachment> launcher, Settings settings, String address, String cluster) throws UnknownHostException {
    if (rehearse) {
      return Credentials.ofOwn();
    }
    if (tlsCert != null || tlsKey != null || tlsCa != null) {
      if (tlsCert == null || tlsKey == null || tlsCa == null || !secretFiles.isEmpty()) {
        throw new ParameterException(spec.commandLine(),
            "--tls-cert, --tls-key and --tls-ca belong together, without --secret-file");
      }
      return Credentials.ofFiles(tlsCert, tlsKey, SecretFile.read(tlsKey, "key file"), tlsCa);
    }
    if (launcher.isPresent()) {
      return Credentials.of(List.of(ClusterAuthority.ofRandomKey(launcher.get().secret())));
    }
    if (!secretFiles.isEmpty()) {
      return Credentials.of(secretFiles.stream()
          .map(file -> ClusterAuthority.ofSecret(SecretFile.read(file), cluster)).toList());
    }
    if (!InetAddress.getByName(address).isLoopbackAddress()) {
      throw new ScrException(Fault.BAD_CONFIGURATION, "a daemon that others reach at " + address
          + " needs --secret-file, the same on all nodes, or --tls-cert; to make a secret:"
          + " (umask 077; head -c 32 /dev/urandom > ~/.scr-secret)");
    }
    return Credentials.of(List.of(ClusterAuthority.ofRandomKey(
        SecretFile.ofThisHost(LocalDaemons.job(settings).path()))));
  }

  private static Optional<BearerToken> token(Path file) {
    return Optional.ofNullable(file).map(path -> new BearerToken(SecretFile.read(path, "token file")));
  }

  /** Empty where there is to be none. */
  private OptionalInt httpPort() {
    if (httpPort.equals("off")) {
      return OptionalInt.empty();
    }
    try {
      int port = Integer.parseInt(httpPort);
      checkPort("--http-port", port, 0);
      return OptionalInt.of(port);
    } catch (NumberFormatException _) {
      throw new ParameterException(
          spec.commandLine(), "--http-port " + httpPort + ": neither a number from 0 to " + LARGEST_PORT + " nor off");
    }
  }

  private void checkMember(String member) {
    if (!MEMBER.matcher(member).matches()) {
      throw new ParameterException(spec.commandLine(),
          "--members: '" + member + "' is not HOST:PORT, such as n1:5701 or [fd00::1]:5701");
    }
    checkPort("--members: port", Integer.parseInt(member.substring(member.lastIndexOf(':') + 1)), 1);
  }

  private void checkPort(String option, int value, int least) {
    if (value < least || value > LARGEST_PORT) {
      throw new ParameterException(spec.commandLine(),
          option + " " + value + ": a port is a number from " + least + " to " + LARGEST_PORT);
    }
  }
}
