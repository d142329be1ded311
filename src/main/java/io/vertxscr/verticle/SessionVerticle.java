package io.vertxscr.verticle;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.protocol.ClientClosed;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.AbortRequest;
import io.vertxscr.protocol.app.CallRequest;
import io.vertxscr.protocol.app.CompleteRequest;
import io.vertxscr.protocol.app.ConfigRequest;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.DrainRequest;
import io.vertxscr.protocol.app.EventsRequest;
import io.vertxscr.protocol.app.FlushRequest;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.InitWaitRequest;
import io.vertxscr.protocol.app.NameRequest;
import io.vertxscr.protocol.app.OperatorRequest;
import io.vertxscr.protocol.app.QuestionRequest;
import io.vertxscr.protocol.app.StatusRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.advice.AdviceWithdrawal;
import io.vertxscr.protocol.node.run.EventsAfter;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.CollectiveCalls.Caller;

/** Answers the calls that begin and end a run, those around a restart, and questions for the status. */
public final class SessionVerticle extends NodeVerticle {
  /** Serves a node. */
  public SessionVerticle(NodeContext node) {
    super(node);
  }

  @Override
  protected void serve() {
    CollectiveCalls calls = node.services().calls();
    serve(Verb.CONFIG, ConfigRequest.class, (request, _) -> node.services().config().config(request));
    serve(Verb.INIT, InitRequest.class, node.services().runs()::init);
    serve(Verb.INIT_WAIT, InitWaitRequest.class, node.services().runs()::initWait);
    serve(Verb.STATUS, StatusRequest.class, (request, _) -> node.services().status().statusAndCaches(request));
    serve(Verb.EVENTS, EventsRequest.class, (request, _) -> node.services().events().all(request));
    serve(Verb.DRAIN, DrainRequest.class, (request, _) -> node.services().drains().ask(request));
    serve(Verb.OPERATE, OperatorRequest.class,
        (request, _) -> node.services().operators().ask(request).map(new DoneReply()));
    serve(NodeVerb.EVENTS, EventsAfter.class, node.services().events()::own);
    serve(Verb.ALIVE, Ack.class, (_, _) -> Future.succeededFuture(new DoneReply()));
    serve(NodeVerb.CLIENT_CLOSED, ClientClosed.class, node.services().runs()::closed);
    serve(Verb.SHOULD_EXIT, QuestionRequest.class, node.services().advice()::shouldExit);
    serve(Verb.NEED_CHECKPOINT, QuestionRequest.class, node.services().advice()::needCheckpoint);
    serve(NodeVerb.ADVICE_WITHDRAW, AdviceWithdrawal.class, node.services().advice()::withdraw);
    serve(Verb.FLUSH_TEST, FlushRequest.class, node.services().flushQuestions()::test);
    serve(Verb.FLUSH_WAIT, FlushRequest.class, node.services().flushQuestions()::await);
    simple(Verb.HAVE_RESTART, Step.HAVE_RESTART, calls);
    simple(Verb.START_RESTART, Step.START_RESTART, calls);
    named(Verb.CURRENT, Step.CURRENT, calls);
    named(Verb.DROP, Step.DROP, calls);
    named(Verb.DELETE, Step.DELETE, calls);
    simple(Verb.FINALIZE, Step.FINALIZE, calls);
    serve(Verb.ABORT, AbortRequest.class, node.services().runs()::abort);
    serve(Verb.COMPLETE_RESTART, CompleteRequest.class, (request, client) -> calls.call(
        new Caller(request.run(), request.rank(), request.call(), client), Step.COMPLETE_RESTART, "", 0,
        request.valid()));
  }

  private void named(Verb verb, Step step, CollectiveCalls calls) {
    serve(verb, NameRequest.class, (request, client) -> calls.call(
        new Caller(request.run(), request.rank(), request.call(), client), step, request.name(), 0, true));
  }

  private void simple(Verb verb, Step step, CollectiveCalls calls) {
    serve(verb, CallRequest.class, (request, client) -> calls.call(
        new Caller(request.run(), request.rank(), request.call(), client), step, "", 0, true));
  }
}
