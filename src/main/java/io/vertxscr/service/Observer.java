package io.vertxscr.service;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Is told what happens. Called on the node's loop: must not block. */
@FunctionalInterface
public interface Observer {
  /** Looks away. */
  Observer NONE = _ -> {};

  /** Something has happened. */
  void notice(Event event);

  /** All of them, in this order. One that throws harms neither the others nor what is being observed. */
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
