package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Networks on which, as their operator says, nobody reads or changes packets.
 *
 * @param networks address and number of leading bits that count
 */
public record TrustedNetworks(List<AddressBlock> networks) {
  /** Everything is encrypted. */
  public static final TrustedNetworks NONE = new TrustedNetworks(List.of());
  private static final Pattern CIDR = Pattern.compile("([0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)/([0-9]{1,3})");

  /** All addresses that begin with the same bits. */
  record AddressBlock(InetAddress address, int bits) {
    boolean contains(InetAddress other) {
      byte[] mine = address.getAddress();
      byte[] its = other.getAddress();
      return mine.length == its.length && new BigInteger(1, mine).xor(new BigInteger(1, its)).bitLength()
          <= mine.length * Byte.SIZE - bits;
    }
  }

  public TrustedNetworks {
    networks = List.copyOf(networks);
  }

  /**
   * Reads networks in the notation {@code 10.1.0.0/16} or {@code fd00::/8}.
   *
   * @throws ScrException BAD_CONFIGURATION for anything else; names are not resolved
   */
  public static TrustedNetworks of(List<String> cidrs) {
    return new TrustedNetworks(cidrs.stream().map(TrustedNetworks::network).toList());
  }

  private static AddressBlock network(String cidr) {
    var parts = CIDR.matcher(cidr);
    if (parts.matches()) {
      try {
        InetAddress address = InetAddress.ofLiteral(parts.group(1));
        int bits = Integer.parseInt(parts.group(2));
        if (bits <= address.getAddress().length * Byte.SIZE) {
          return new AddressBlock(address, bits);
        }
      } catch (IllegalArgumentException _) {
        // told below
      }
    }
    throw new ScrException(Fault.BAD_CONFIGURATION,
        "'" + cidr + "' is no network: an address and a number of bits are, as 10.1.0.0/16");
  }

  /** Whether one of them has the address. */
  boolean contain(InetAddress address) {
    return networks.stream().anyMatch(network -> network.contains(address));
  }
}
