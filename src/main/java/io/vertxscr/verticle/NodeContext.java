package io.vertxscr.verticle;

import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;

/** What every verticle of a node gets. */
public record NodeContext(String name, Loop loop, Membership membership, Epoch epoch, NodeServices services,
    Observer observer) {}
