package io.vertxscr.flow.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.run.SessionState.SessionPhase;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: the table of legal calls is exactly the one of the documentation. Method: every state with every call. */
class SessionStateTest {
  private static final SessionState OFFERED = new SessionState(SessionPhase.IDLE, true);
  private static final SessionState OUTPUT = new SessionState(SessionPhase.OUTPUT, false);
  private static final SessionState RESTART = new SessionState(SessionPhase.RESTART, false);
  private static final SessionState ENDED = new SessionState(SessionPhase.ENDED, false);

  private static final Map<SessionState, Set<Step>> LEGAL = Map.of(
      SessionState.IDLE, EnumSet.of(
          Step.HAVE_RESTART, Step.START_OUTPUT, Step.CURRENT, Step.DROP, Step.DELETE, Step.FINALIZE),
      OFFERED, EnumSet.of(Step.HAVE_RESTART, Step.START_RESTART, Step.START_OUTPUT, Step.CURRENT, Step.DROP,
          Step.DELETE, Step.FINALIZE),
      OUTPUT, EnumSet.of(Step.COMPLETE_OUTPUT),
      RESTART, EnumSet.of(Step.COMPLETE_RESTART),
      ENDED, EnumSet.noneOf(Step.class));

  private static final Map<SessionPhase, String> WORDS = new EnumMap<>(Map.of(
      SessionPhase.IDLE, "outside a phase", SessionPhase.OUTPUT, "inside an output phase",
      SessionPhase.RESTART, "inside a restart", SessionPhase.ENDED, "after finalize"));

  static List<Arguments> everyStateAndCall() {
    List<Arguments> all = new ArrayList<>();
    LEGAL.forEach((state, legal) -> {
      for (Step call : Step.values()) {
        all.add(Arguments.of(state, call, legal.contains(call)));
      }
    });
    return all;
  }

  @ParameterizedTest
  @MethodSource("everyStateAndCall")
  void allowsWhatIsLegalAndRefusesTheRestInWordsThatHelp(SessionState state, Step call, boolean legal) {
    if (legal) {
      assertThatCode(() -> state.check(7, call)).doesNotThrowAnyException();
      return;
    }
    assertThatThrownBy(() -> state.check(7, call)).isInstanceOfSatisfying(ScrException.class, refusal -> {
      assertThat(refusal.fault()).isEqualTo(Fault.WRONG_STATE);
      assertThat(refusal).hasMessageStartingWith("rank 7 called " + call.title() + " " + WORDS.get(state.phase()));
      String offer = refusal.getMessage().substring(refusal.getMessage().indexOf("; legal is ") + 11);
      for (Step step : LEGAL.get(state)) {
        assertThat(offer).contains(step.title());
      }
      for (Step step : EnumSet.complementOf(copy(LEGAL.get(state)))) {
        assertThat(offer).doesNotContain(step.title());
      }
    });
  }

  /** Also those that need no other rank. */
  @ParameterizedTest
  @MethodSource("everyStateAndQuestion")
  void namesRouteAndQuestionsWhereTheyAreLegalAndNowhereElse(SessionState state, Question question) {
    ScrException refusal = catchThrowableOfType(ScrException.class, () -> state.check(7, Step.PROTECTED));
    String offer = refusal.getMessage().substring(refusal.getMessage().indexOf("; legal is ") + 11);
    ScrException asked = catchThrowableOfType(ScrException.class, () -> state.check(7, question));
    assertThat(offer.contains(question.title())).isEqualTo(asked == null);
    assertThat(offer.contains("route")).isEqualTo(state.phase() != SessionPhase.ENDED);
  }

  static List<Arguments> everyStateAndQuestion() {
    return LEGAL.keySet().stream().flatMap(state -> Arrays.stream(Question.values())
        .map(question -> Arguments.of(state, question))).toList();
  }

  private static EnumSet<Step> copy(Set<Step> steps) {
    EnumSet<Step> copy = EnumSet.noneOf(Step.class);
    copy.addAll(steps);
    return copy;
  }

  @ParameterizedTest
  @MethodSource("everyState")
  void routeIsRefusedAfterFinalizeOnly(SessionState state) {
    if (state.phase() != SessionPhase.ENDED) {
      assertThatCode(() -> state.checkRoute(7)).doesNotThrowAnyException();
      return;
    }
    assertThatThrownBy(() -> state.checkRoute(7)).isInstanceOfSatisfying(ScrException.class,
        refusal -> assertThat(refusal).hasMessage(
            "rank 7 called route after finalize; legal is nothing: the next run begins with an init"));
  }

  static Set<SessionState> everyState() {
    return LEGAL.keySet();
  }

  static List<Arguments> everyLegalCall() {
    return List.of(
        Arguments.of(SessionState.IDLE, Step.HAVE_RESTART, true, OFFERED),
        Arguments.of(SessionState.IDLE, Step.HAVE_RESTART, false, SessionState.IDLE),
        Arguments.of(OFFERED, Step.HAVE_RESTART, true, OFFERED),
        Arguments.of(OFFERED, Step.HAVE_RESTART, false, SessionState.IDLE),
        Arguments.of(OFFERED, Step.START_RESTART, true, RESTART),
        Arguments.of(SessionState.IDLE, Step.START_OUTPUT, true, OUTPUT),
        Arguments.of(OFFERED, Step.START_OUTPUT, true, OUTPUT),
        Arguments.of(OFFERED, Step.CURRENT, true, SessionState.IDLE),
        Arguments.of(OFFERED, Step.DROP, true, SessionState.IDLE),
        Arguments.of(OFFERED, Step.DELETE, true, SessionState.IDLE),
        Arguments.of(SessionState.IDLE, Step.CURRENT, true, SessionState.IDLE),
        Arguments.of(SessionState.IDLE, Step.DROP, true, SessionState.IDLE),
        Arguments.of(SessionState.IDLE, Step.DELETE, true, SessionState.IDLE),
        Arguments.of(SessionState.IDLE, Step.FINALIZE, true, ENDED),
        Arguments.of(OFFERED, Step.FINALIZE, true, ENDED),
        Arguments.of(OUTPUT, Step.COMPLETE_OUTPUT, true, SessionState.IDLE),
        Arguments.of(RESTART, Step.COMPLETE_RESTART, true, SessionState.IDLE));
  }

  @ParameterizedTest
  @MethodSource("everyLegalCall")
  void goesWhereTheDiagramSays(SessionState state, Step call, boolean restartAvailable, SessionState then) {
    state.check(0, call);
    assertThat(state.after(call, restartAvailable)).isEqualTo(then);
  }

  @ParameterizedTest
  @MethodSource("everyStateAndCall")
  void stepsThatNoApplicationCallsMoveNothing(SessionState state, Step call, boolean legal) {
    if (call == Step.PROTECTED || call == Step.FLUSHED) {
      assertThat(legal).isFalse();
      assertThat(state.after(call, true)).isEqualTo(state);
    }
  }
}
