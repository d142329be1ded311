package io.vertxscr.verticle;

import io.vertxscr.service.Epoch;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Observer;

/** What every verticle of a node gets. */
public record NodeContext(String name, Loop loop, Epoch epoch, NodeServices services, Observer observer) {}
