package io.vertxscr.service;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listener of events. Called on the node's loop: must not block. */
@FunctionalInterface
public interface Observer {
  /** No-op observer. */
  Observer NONE = _ -> {};

  /** Something has happened. */
  void notice(Event event);

  /** Calls all of them, in this order. An exception of one affects neither the others nor the caller. */
  static Observer all(List<Observer> observers) {
    Logger log = LoggerFactory.getLogger(Observer.class);
    List<Observer> each = List.copyOf(observers);
    return event -> {
      for (Observer observer : each) {
        try {
          observer.notice(event);
        } catch (RuntimeException e) {
          log.error("{} cannot take {}", observer.getClass().getName(), event, e);
        }
      }
    };
  }
}
