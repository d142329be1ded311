package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObserverTest {
  @Test
  void anObserverThatThrowsHarmsNeitherTheOthersNorTheObserved() {
    List<Event> seen = new ArrayList<>();
    Observer bad = event -> {
      throw new IllegalStateException("cannot take " + event);
    };
    Observer all = Observer.all(List.of(seen::add, bad, seen::add));

    Event event = EventSamples.ALL.getFirst();
    all.notice(event);

    assertThat(seen).containsExactly(event, event);
  }

  @Test
  void thereIsASampleOfEveryEvent() {
    assertThat(EventSamples.ALL.stream().<Class<?>>map(Event::getClass).distinct())
        .containsExactlyInAnyOrder(Event.class.getPermittedSubclasses());
  }
}
