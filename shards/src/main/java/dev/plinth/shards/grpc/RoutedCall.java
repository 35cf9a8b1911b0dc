package dev.plinth.shards.grpc;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.ForwardOutcome;
import dev.plinth.shards.Route;
import dev.plinth.shards.ShardFailures;
import dev.plinth.shards.ShardRouter;
import dev.plinth.shards.Shards;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import java.time.Duration;
import java.util.Optional;

/**
 * One call on its way to the owner of its shard: to the endpoint here, to another node, or into a
 * wait until there is an owner. The first message says which shard it is about.
 *
 * <p>A call that was refused and surely had no effect goes on to wherever the shard is then, as
 * long as all its caller has said is that one message, and as nothing was answered. Everything runs
 * in one order, on the thread that brings it: for a call that is answered here, on gRPC's own.
 */
final class RoutedCall<Q, A> extends ServerCall.Listener<Q> {
  /** What all calls of a method have in common. */
  record Path<Q, A>(
      CallForwarder callForwarder,
      ShardKeyExtractor key,
      CallKind kind,
      ServerCallHandler<Q, A> endpoint) {}

  private final Path<Q, A> path;
  private final Shards shards;
  private final ServerCall<Q, A> call;
  private final Metadata headers;
  private Context context = Context.current();
  private final SynchronizationContext inOrder =
      new SynchronizationContext((thread, thrown) -> fail(thrown));

  private Q first;
  private long arrived;
  private int shard = -1;
  private boolean halfClosed;
  private volatile boolean cancelled; // read by the router, too, while the call waits
  private long waitsUntil;
  private boolean waited;
  private ServerCall.Listener<Q> target;

  RoutedCall(Path<Q, A> path, ServerCall<Q, A> call, Metadata headers) {
    this.path = path;
    this.shards = path.callForwarder().shards();
    this.call = call;
    this.headers = headers;
  }

  RoutedCall<Q, A> begin() {
    call.request(1);
    return this;
  }

  /** Runs a step in the order and the context of this call. */
  void run(Runnable step) {
    inOrder.execute(() -> context.run(step));
  }

  void forwarded(ForwardOutcome result) {
    shards.routes().forwarded(result);
  }

  @Override
  public void onMessage(Q message) {
    run(
        () -> {
          if (target != null) {
            target.onMessage(message);
          } else {
            first = message;
            arrived = now();
            find();
          }
        });
  }

  @Override
  public void onHalfClose() {
    run(
        () -> {
          halfClosed = true;
          if (target != null) {
            target.onHalfClose();
          } else if (first == null) {
            here(null); // the endpoint knows what to say of a call without a request
          }
        });
  }

  @Override
  public void onCancel() {
    run(
        () -> {
          cancelled = true;
          if (target != null) {
            target.onCancel();
          }
        });
  }

  @Override
  public void onComplete() {
    run(
        () -> {
          if (target != null) {
            target.onComplete();
          }
        });
  }

  @Override
  public void onReady() {
    run(
        () -> {
          if (target != null) {
            target.onReady();
          }
        });
  }

  private void find() {
    Optional<RequestShard> found = path.key().find(first, shards);
    if (found.isEmpty()) {
      here(null);
    } else {
      shard = found.get().shard();
      context = context.withValue(RequestShard.ROUTED, found.get());
      context.run(() -> go(shards.routes().of(shard)));
    }
  }

  private void go(Route route) {
    boolean goesOn = !isForwarded();
    switch (route.location()) {
      case LOCAL -> here(route);
      case OPENING -> await(route);
      case REMOTE -> {
        if (goesOn) {
          there(route);
        } else {
          refuse(ShardFailures.notHere(shard, route));
        }
      }
      case UNOWNED -> {
        if (goesOn) {
          await(route);
        } else {
          refuse(ShardFailures.notHere(shard, route));
        }
      }
    }
  }

  private boolean isForwarded() {
    return headers.containsKey(CallForwarder.FORWARDED_BY);
  }

  private void here(Route route) {
    ServerCall.Listener<Q> local =
        path.endpoint().startCall(new LocalCall<>(call, failure -> retry(route, failure)), headers);
    hand(local);
  }

  private void there(Route route) {
    CallForwarder callForwarder = path.callForwarder();
    PeerConnections.Connection peer =
        callForwarder.peers().take(route.address(), path.kind().of(first));
    ForwardedCall<Q, A> forwardedCall =
        new ForwardedCall<>(this, call, new ForwardedCall.Target(shard, route, peer));
    forwardedCall.start(headers, callForwarder.node());
    hand(forwardedCall);
  }

  /** Gives the next listener all that has come so far. */
  private void hand(ServerCall.Listener<Q> next) {
    target = next;
    if (call.isReady()) {
      next.onReady();
    }
    if (first != null) {
      next.onMessage(request());
    }
    if (halfClosed) {
      next.onHalfClose();
    }
    if (cancelled) {
      next.onCancel();
    }
    if (!isWhole()) {
      first = null; // it goes nowhere else, and may live for long
    }
  }

  /** All that its caller says is one message, so that it can be said again. */
  private boolean isWhole() {
    return call.getMethodDescriptor().getType().clientSendsOneMessage();
  }

  /**
   * Takes up a call that was refused, if it may go on; otherwise says why.
   *
   * @return false where the answer has to go to the caller as it is
   */
  boolean retry(Route refusedBy, Failure failure) {
    if (refusedBy == null || !isWhole() || isForwarded()) {
      return false;
    }
    run(
        () -> {
          target = null;
          await(refusedBy, failure);
        });
    return true;
  }

  private void await(Route avoid) {
    await(avoid, ShardFailures.notHere(shard, avoid));
  }

  private void await(Route avoid, Failure otherwise) {
    if (!waited) {
      waited = true;
      waitsUntil = now() + shards.settings().moveWait().toNanos();
    }
    long left = waitsUntil - now();
    if (cancelled || left <= 0) {
      refuse(otherwise);
      return;
    }
    boolean waits =
        shards.routes().await(shard, avoid, Duration.ofNanos(left), new UntilOwned(otherwise));
    if (!waits) {
      refuse(ShardFailures.overloaded(shard));
    }
  }

  /** This call while its shard has no owner. */
  private final class UntilOwned implements ShardRouter.WaitingCall {
    private final Failure otherwise;

    UntilOwned(Failure otherwise) {
      this.otherwise = otherwise;
    }

    @Override
    public boolean isUrgent() {
      return path.kind().urgent();
    }

    @Override
    public boolean isGone() {
      return cancelled;
    }

    @Override
    public void goOn(Route route) {
      run(() -> wake(route, otherwise));
    }
  }

  private void wake(Route next, Failure otherwise) {
    if (cancelled || waitsUntil - now() <= 0) {
      refuse(otherwise);
    } else {
      go(next);
    }
  }

  private long now() {
    return path.callForwarder().nanos().getAsLong();
  }

  /** The request as the next place gets it. */
  private Q request() {
    return waited ? path.kind().afterWaiting(first, Duration.ofNanos(now() - arrived)) : first;
  }

  private void refuse(Failure failure) {
    call.close(Status.UNAVAILABLE.withCause(failure), new Metadata());
  }

  /** What an endpoint throws: the answer is found outwards, as for any endpoint. */
  private void fail(Throwable thrown) {
    Metadata trailers = Status.trailersFromThrowable(thrown);
    call.close(Status.fromThrowable(thrown), trailers == null ? new Metadata() : trailers);
  }
}
