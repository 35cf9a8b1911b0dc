package dev.plinth.client.limit;

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
 * with RESOURCE_EXHAUSTED, QUOTA_EXCEEDED. Where no concurrency rule matches, it is not bounded.
 *
 * <p>If a slot is lost while its call runs, since the service was out of reach for as long as the
 * slot lives, another may run in its place: the handler's {@link Context} is cancelled. A resource
 * can tell the two apart by {@link #TOKEN}, which rises. A handler that works on after its call was
 * cancelled is not counted any more.
 */
public final class ConcurrencyInterceptor implements ServerInterceptor {
  /** In the handler's context: the token of the slot that its call holds. */
  public static final Context.Key<Long> TOKEN = Context.key("plinth-slot-token");

  private static final Duration TTL = Duration.ofSeconds(30);

  private final Limits limits;
  private final String domain;
  private final CallDescriptors descriptors;
  private final Executor handlers;
  private final Slots slots;
  private final Complaints complaints;

  private ConcurrencyInterceptor(
      Limits limits, String domain, CallDescriptors descriptors, Executor handlers, Slots slots) {
    this.limits = limits;
    this.domain = domain;
    this.descriptors = descriptors;
    this.handlers = handlers;
    this.slots = slots;
    this.complaints = new Complaints(limits.line().nanos());
  }

  /** Slots outlive a server that dies by 30 s. */
  public static ConcurrencyInterceptor of(
      Limits limits, String domain, CallDescriptors descriptors) {
    return of(limits, domain, descriptors, TTL);
  }

  /**
   * @param ttl how long slots outlive a server that dies, 100 ms to 1 h
   */
  public static ConcurrencyInterceptor of(
      Limits limits, String domain, CallDescriptors descriptors, Duration ttl) {
    return new ConcurrencyInterceptor(
        limits, domain, descriptors, Runnable::run, new Slots(limits.wiring(), domain, ttl));
  }

  /** Where handlers begin; by default on threads of the client's own, as many as it takes. */
  public ConcurrencyInterceptor handlersOn(Executor threads) {
    return new ConcurrencyInterceptor(limits, domain, descriptors, threads, slots);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Optional<Map<String, String>> limited = descriptors.of(call, headers);
    if (limited.isEmpty()) {
      return next.startCall(call, headers);
    }
    HeldCall<Q> held = new HeldCall<>(call);
    slots
        .acquire(new Subject(domain, limited.get()))
        // Not on the client's own thread: from here on it is the application's code that runs.
        .thenAcceptAsync(
            entry -> entered(entry, call, headers, next, held), limits.line().background());
    return held;
  }

  private <Q, A> void entered(
      Slots.Entry entry,
      ServerCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next,
      HeldCall<Q> held) {
    if (entry instanceof Slots.Entry.Got got) {
      Slot slot = got.slot();
      held.begin(handlers, () -> run(slot, call, headers, next), slot::release);
    } else if (entry instanceof Slots.Entry.Full full) {
      refuse(call, full.answer());
    } else if (entry instanceof Slots.Entry.Unlimited || opens((Slots.Entry.Unknown) entry)) {
      held.begin(handlers, () -> next.startCall(call, headers), () -> {});
    } else {
      Refusal.unavailable().close(call, new Metadata());
    }
  }

  private boolean opens(Slots.Entry.Unknown unknown) {
    unknown
        .refusal()
        .ifPresent(why -> complaints.complain("slots of domain " + domain + " are refused", why));
    return limits.wiring().options().onUnavailable() == OnUnavailable.OPEN;
  }

  private static void refuse(ServerCall<?, ?> call, AcquireSlotResponse full) {
    Duration retryAfter = full.hasRetryAfter() ? Wire.duration(full.getRetryAfter()) : Refusal.SOON;
    Refusal.concurrency(full.getLimitsList(), retryAfter).close(call, new Metadata());
  }

  private <Q, A> ServerCall.Listener<Q> run(
      Slot slot, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Context.CancellableContext running =
        Context.current().withValue(TOKEN, slot.token()).withCancellation();
    // A context tells its listeners, which are the application's, where it is cancelled.
    slot.onLost(
        () ->
            limits
                .line()
                .background()
                .execute(
                    () -> running.cancel(new IllegalStateException("the call's slot is lost"))));
    try {
      return ending(
          slot, running, Contexts.interceptCall(running, closing(slot, call), headers, next));
    } catch (RuntimeException e) {
      slot.release();
      running.cancel(e);
      throw e;
    }
  }

  private static <Q, A> ServerCall<Q, A> closing(Slot slot, ServerCall<Q, A> call) {
    return new SimpleForwardingServerCall<>(call) {
      @Override
      public void close(Status status, Metadata trailers) {
        slot.release();
        super.close(status, trailers);
      }
    };
  }

  private static <Q> ServerCall.Listener<Q> ending(
      Slot slot, Context.CancellableContext running, ServerCall.Listener<Q> handler) {
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
