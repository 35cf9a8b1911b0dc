package dev.plinth.client.limit;

import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.limit.HeldSlots.SlotResult;
import dev.plinth.ratelimit.v1.AcquireSlotResponse;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Bounds how many calls of a kind run at the same time, over all servers. A call takes a slot
 * before its handler begins, keeps it renewed while it runs, streams too, and gives it back once:
 * when it is closed, completes or is cancelled, whichever comes first. With no slot free it ends
 * with RESOURCE_EXHAUSTED, QUOTA_EXCEEDED. Where no concurrency rule matches, it is not bounded; if
 * the service refuses its descriptors, it ends with INVALID_ARGUMENT, FIELD_INVALID.
 *
 * <p>If a slot is lost while its call runs, since the service was out of reach for as long as the
 * slot lives, another may run in its place: the handler's {@link Context} is cancelled. A resource
 * can tell the two apart by {@link #TOKEN}, which rises. A handler that works on after its call was
 * cancelled is not counted any more.
 */
public final class ConcurrencyServerInterceptor implements ServerInterceptor {
  /** In the handler's context: the token of the slot that its call holds. */
  public static final Context.Key<Long> TOKEN = Context.key("plinth-slot-token");

  private static final Duration TTL = Duration.ofSeconds(30);

  private final CallDescriptors descriptors;
  private final Executor handlers;
  private final HeldSlots slots;

  private ConcurrencyServerInterceptor(
      CallDescriptors descriptors, Executor handlers, HeldSlots slots) {
    this.descriptors = descriptors;
    this.handlers = handlers;
    this.slots = slots;
  }

  /** Slots outlive a server that dies by 30 s. */
  public static ConcurrencyServerInterceptor of(
      RateLimitClient limits, String domain, CallDescriptors descriptors) {
    return of(limits, domain, descriptors, TTL);
  }

  /**
   * @param ttl how long slots outlive a server that dies, 100 ms to 1 h
   */
  public static ConcurrencyServerInterceptor of(
      RateLimitClient limits, String domain, CallDescriptors descriptors, Duration ttl) {
    return new ConcurrencyServerInterceptor(
        descriptors, Runnable::run, new HeldSlots(limits.context(), domain, ttl));
  }

  /** Where handlers begin; by default on threads of the client's own, as many as it takes. */
  public ConcurrencyServerInterceptor handlersOn(Executor threads) {
    return new ConcurrencyServerInterceptor(descriptors, threads, slots);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Optional<Map<String, String>> limited = descriptors.of(call, headers);
    if (limited.isEmpty()) {
      return next.startCall(call, headers);
    }
    DelayedCallListener<Q> held = new DelayedCallListener<>(call);
    slots
        .acquire(limited.get())
        // Not on the event loop: from here on it is the application's code that runs.
        .thenAcceptAsync(
            result -> entered(result, call, headers, next, held),
            slots.context().runtime().background());
    return held;
  }

  private <Q, A> void entered(
      SlotResult result,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next,
      DelayedCallListener<Q> held) {
    if (result instanceof SlotResult.Acquired acquired) {
      HeldSlot slot = acquired.slot();
      held.begin(handlers, () -> run(slot, call, headers, next), slot::release);
    } else if (result instanceof SlotResult.Full full) {
      refuse(call, full.answer());
    } else if (result instanceof SlotResult.BadContent bad) {
      slots.warn(bad.refusal());
      CallRejection.badDescriptors().close(call, new Metadata());
    } else if (result instanceof SlotResult.NoRule || opens((SlotResult.Unavailable) result)) {
      held.begin(handlers, () -> next.startCall(call, headers), () -> {});
    } else {
      CallRejection.unavailable().close(call, new Metadata());
    }
  }

  private boolean opens(SlotResult.Unavailable unavailable) {
    unavailable.refusal().ifPresent(why -> slots.warn(why));
    return slots.context().options().onUnavailable() == OnUnavailable.OPEN;
  }

  private static void refuse(ServerCall<?, ?> call, AcquireSlotResponse full) {
    Duration retryAfter =
        full.hasRetryAfter() ? ClientWire.duration(full.getRetryAfter()) : CallRejection.SOON;
    CallRejection.concurrency(full.getLimitsList(), retryAfter).close(call, new Metadata());
  }

  private <Q, A> ServerCall.Listener<Q> run(
      HeldSlot slot, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Context.CancellableContext running =
        Context.current().withValue(TOKEN, slot.token()).withCancellation();
    // A context tells its listeners, which are the application's, where it is cancelled.
    Runnable cancel = () -> running.cancel(new IllegalStateException("the call's slot is lost"));
    slot.onLost(() -> slots.context().runtime().background().execute(cancel));
    try {
      return ending(
          slot, running, Contexts.interceptCall(running, closing(slot, call), headers, next));
    } catch (RuntimeException e) {
      slot.release();
      running.cancel(e);
      throw e;
    }
  }

  private static <Q, A> ServerCall<Q, A> closing(HeldSlot slot, ServerCall<Q, A> call) {
    return new SimpleForwardingServerCall<>(call) {
      @Override
      public void close(Status status, Metadata trailers) {
        slot.release();
        super.close(status, trailers);
      }
    };
  }

  private static <Q> ServerCall.Listener<Q> ending(
      HeldSlot slot, Context.CancellableContext running, ServerCall.Listener<Q> handler) {
    return new SimpleForwardingServerCallListener<>(handler) {
      @Override
      public void onCancel() {
        end(super::onCancel);
      }

      @Override
      public void onComplete() {
        end(super::onComplete);
      }

      private void end(Runnable tell) {
        slot.release();
        try {
          tell.run();
        } finally {
          running.cancel(null);
        }
      }
    };
  }
}
