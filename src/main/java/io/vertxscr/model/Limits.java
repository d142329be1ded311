package io.vertxscr.model;

/** Every bound that the system keeps, in one place. */
public final class Limits {
  /** Longest file or dataset name, in characters (SCR_MAX_FILENAME). */
  public static final int MAX_NAME_CHARS = 1024;
  /** Most ranks in one run. */
  public static final int MAX_RANKS = 1 << 20;
  /** Most files that one rank may write in one dataset. */
  public static final int MAX_FILES_PER_RANK = 1 << 20;
  /** Most paths of one dataset that one node watches over for all: about as many as it has files. */
  public static final int MAX_CLAIMED_PATHS = 1 << 24;
  /** Bytes of a node's small files, which go to other nodes in messages. */
  public static final int MAX_SMALL_BYTES = 1 << 20;
  /** Small files of a node in one dataset: what is said of them is larger than they are. */
  public static final int MAX_SMALL_FILES = 4096;
  /** Nodes of a run whose files may be carried by a gather: each gets those of all. */
  public static final int MAX_CARRYING_NODES = 16;
  /** Bytes of a node's files that a gather carries. */
  public static final int MAX_CARRIED_BYTES = 1024;
  /** Files of a node that a gather carries. */
  public static final int MAX_CARRIED_FILES = 16;
  /** Most bytes of a file, a dataset, or all files of a node: an exbibyte. Sums of some do not overflow. */
  public static final long MAX_BYTES = 1L << 60;
  /** Longest path in a message between nodes, in characters: that of Linux. */
  public static final int MAX_PATH_CHARS = 4096;
  /** Within which the cause for which a rank cannot go on is told by others, if it is theirs. */
  public static final long ABORT_MS = 1_000;
  /** Longest text for people in a message between nodes, in characters; it may name many nodes or ranks. */
  public static final int MAX_SENTENCE_CHARS = 1 << 20;
  /** Most texts for people in a message between nodes. */
  public static final int MAX_SENTENCES = 1 << 16;
  /** Most datasets in a message between nodes. */
  public static final int MAX_DATASETS = 1 << 16;
  /** Most stores in a message between nodes. */
  public static final int MAX_STORES = 1024;
  /** Longest node name, in characters. */
  public static final int MAX_NODE_NAME_CHARS = 128;
  /** One piece of a bulk transfer, where nothing else is configured. */
  public static final int PIECE_BYTES = 512 * 1024;
  /** Smallest piece: the most rows of parity, 255, share one, and each needs a kilobyte of it. */
  public static final int MIN_PIECE_BYTES = 256 * 1024;
  /** Largest piece; buffers of all transfer threads together stay far below the daemon's direct memory. */
  public static final int MAX_PIECE_BYTES = 4 << 20;
  /** Largest JSON message accepted from an application. */
  public static final int MAX_MESSAGE_BYTES = 16 << 20;
  /** Most bytes of unfinished messages of all applications of a node together. */
  public static final int MAX_UNFINISHED_BYTES = 64 << 20;
  /** Longest packet that members of the cluster send each other. */
  public static final int MAX_CLUSTER_PACKET_BYTES = 16 << 20;
  /** Largest message of one node to another on the event bus. A rank map of a million ranks has 8 to 20 MB. */
  public static final int MAX_NODE_MESSAGE_BYTES = 32 << 20;
  /** Most values, names and brackets of a message of one node to another. */
  public static final int MAX_NODE_MESSAGE_TOKENS = 1 << 23;
  /** Most bytes that precede the body of a message on the event bus: addresses and headers. */
  public static final int MAX_BUS_HEAD_BYTES = 64 << 10;
  /** Most bytes of unfinished messages of all members on the event bus of a node together. */
  public static final int MAX_UNFINISHED_BUS_BYTES = 64 << 20;
  /** Largest configuration file. */
  public static final int MAX_CONF_FILE_BYTES = 1 << 20;
  /** Connections to the TCP port of a node that have not shown its token. */
  public static final int MAX_STRANGERS = 64;
  /** Connections to the HTTP port of a node. */
  public static final int MAX_OPERATORS = 64;
  /** Those who look at the dashboard of a node at once. */
  public static final int MAX_WATCHERS = 16;
  /** Time for a connection to prove that it is let in. At the HTTP port, to send its request. */
  public static final int MAX_PROOF_MS = 5_000;
  /** Time for a connection to the HTTP port, from its request until it has taken the answer. */
  public static final int MAX_ANSWER_MS = 10_000;
  /** Longest path of a Unix socket, in bytes (sun_path of Linux, without its final zero). */
  public static final int MAX_SOCKET_PATH_BYTES = 107;
  /** Applications that may be connected to one node at once. */
  public static final int MAX_APPLICATION_CONNECTIONS = 4096;
  /** Calls of one connected application that may wait for their answers. */
  public static final int MAX_CALLS_IN_FLIGHT = 1024;
  /** Further calls of should-exit or need-checkpoint that are answered with one. */
  public static final int MAX_ANSWERS_AHEAD = 31;
  /** Transfers that may wait for a thread of the engine. */
  public static final int MAX_QUEUED_TRANSFERS = 1 << 16;
  /** Connections to the cluster's port of a node that have not proved membership. */
  public static final int MAX_UNPROVEN_MEMBERS = 64;
  /** Peer connections of a node whose client has not proved membership. */
  public static final int MAX_UNPROVEN_PEERS = 128;
  /** Peer connections that a node serves at once. */
  public static final int MAX_PEER_CONNECTIONS = 1024;
  /** Longest that the begin of a phase waits for a flush that makes room for it. */
  public static final int MAX_ROOM_WAIT_MS = 60_000;
  /** Deepest nesting of a hash file. */
  public static final int MAX_HASH_DEPTH = 64;
  /** Largest hash file, or hash in front of redundancy bytes, that is read. */
  public static final int MAX_HASH_FILE_BYTES = 1 << 30;
  /** Number of runs that may end during the read of a checkpoint before it is quarantined. */
  public static final int MAX_FRUITLESS_LOADS = 3;
  /** Smallest redundancy set that SET_SIZE asks for by default. */
  public static final int DEFAULT_SET_SIZE = 8;

  /** Files that one node writes to the prefix directory at once. */
  public static final int FLUSH_THREADS = 4;
  /** Prefix directories that a node remembers to be of its runs and datasets. */
  public static final int MAX_PREFIXES = 4096;
  /** Prefix directories of which a node remembers that datasets were brought there. Each inventory tells them. */
  public static final int MAX_FLUSHED_PREFIXES = 256;
  /** Threads of a node for operations on prefix directories that move few bytes. */
  public static final int PREFIX_THREADS = 8;
  /** Threads of a node for what no phase waits for: one that syncs a disk, while another deletes. */
  public static final int QUIET_THREADS = 2;
  /** Longest time that a background flush yields to one phase. */
  public static final long MAX_FLUSH_YIELD_MS = 60_000;

  /** Events that a node keeps for those who ask later; older ones are forgotten. */
  public static final int MAX_EVENTS = 1000;

  private Limits() {}
}
