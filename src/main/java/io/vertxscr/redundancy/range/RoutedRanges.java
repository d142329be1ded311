package io.vertxscr.redundancy.range;

/**
 * Routes each range to its cheapest source.
 *
 * @param self this node's name
 * @param local what this node holds
 * @param direct what can be read by path on this host
 * @param peers all the rest
 */
public record RoutedRanges(String self, RangeSource local, DirectRanges direct, RangeSource peers)
    implements RangeSource {
  @Override
  public RangeStream open(RangeRequest request) {
    if (request.node().equals(self)) {
      return local.open(request);
    }
    return direct.serves(request) ? direct.open(request) : peers.open(request);
  }
}
