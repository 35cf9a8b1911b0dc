package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.MemberNameTakenException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.LostMember;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * One name in one group, kept registered until it leaves: registered in each new session, and again
 * when the server has lost it, each time as a new incarnation. All of it on the event loop, except
 * what is said to be read by anybody.
 */
public final class Membership implements SharedRegistrySession.User {
  /**
   * What it should be to others.
   *
   * @param attributes its name, labels, endpoints and weight
   */
  public record Desired(RegisterRequest attributes, boolean draining) {
    Desired onceJoined() {
      // The right to take the name from another was for the first registration.
      return new Desired(attributes.toBuilder().clearReplace().build(), draining);
    }
  }

  /** Hears of registrations, on the event loop. */
  public interface Observer {
    Observer NONE = new Observer() {};

    /** A member is in this session, as a new incarnation. */
    default void onRegistered(RegistrySession in) {}

    /** Its state has changed: from LOST on it may not be a member. */
    default void onState(MembershipState state) {}
  }

  private record Registration(RegistrySession session, Member member, ClockReading answeredAt) {}

  static final Set<ErrorReason> NOT_THERE =
      Set.of(ErrorReason.ERROR_REASON_INCARNATION_STALE, ErrorReason.ERROR_REASON_MEMBER_UNKNOWN);

  private final LostMember name;
  private final String namespace;
  private final ClientRuntime runtime;
  private final SharedRegistrySession shared;
  private final Observer observer;
  private final MembershipListeners listeners;
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final MemberUpdates updates;
  private volatile Registration registration;
  private volatile boolean leaving;
  private RegistrySession session;
  private boolean registering;
  private boolean verifying;
  private boolean refused;

  /**
   * @param attributes namespace, group and name, and what else it is to others
   */
  public Membership(
      RegisterRequest attributes,
      ClientRuntime runtime,
      SharedRegistrySession shared,
      Observer observer) {
    this.name =
        LostMember.newBuilder()
            .setGroup(attributes.getGroup())
            .setName(attributes.getName())
            .build();
    this.namespace = attributes.getNamespace();
    this.runtime = runtime;
    this.shared = shared;
    this.observer = observer;
    this.listeners = new MembershipListeners(runtime.environment());
    this.updates = new MemberUpdates(new Desired(attributes, false), runtime, this::updatable);
  }

  /** Completes when it is registered for the first time; fails if it was refused. On any thread. */
  public CompletableFuture<Void> begin() {
    onLoop(() -> shared.attach(this));
    return joined;
  }

  public LostMember name() {
    return name;
  }

  public MembershipListeners listeners() {
    return listeners;
  }

  /** On any thread. */
  public MembershipState state() {
    Registration current = registration;
    if (leaving) {
      return MembershipState.LEFT;
    }
    LeaseState kept = current == null ? LeaseState.LOST : current.session.state();
    return switch (kept) {
      case SAFE -> MembershipState.JOINED;
      case JEOPARDY -> MembershipState.JEOPARDY;
      case LOST, RELEASED -> MembershipState.LOST;
    };
  }

  /** On any thread; 0 if it is not a member, or slept past its time and was not answered since. */
  public long incarnation() {
    Registration current = registration;
    return current == null || leaving || current.session.isExpiredInSleep()
        ? 0
        : current.member.getIncarnation();
  }

  private void onLoop(Runnable task) {
    runtime.environment().loop().execute(task);
  }

  /** The incarnation that updates are for; 0 if there is none. */
  private long updatable() {
    Registration current = registration;
    return current == null || leaving ? 0 : current.member.getIncarnation();
  }

  private void announce() {
    Registration current = registration;
    MembershipState state = state();
    listeners.tell(state, current == null ? 0 : current.member.getIncarnation());
    observer.onState(state);
  }

  @Override
  public void onOpen(RegistrySession opened) {
    session = opened;
    lost();
  }

  @Override
  public void onOpenFailed(CallFailedException failure) {
    failed(failure);
  }

  @Override
  public void onState(RegistrySession of, LeaseState state) {
    Registration current = registration;
    if (current != null && current.session == of && !of.isOpen()) {
      registration = null;
    }
    announce();
  }

  @Override
  public void onBeat(BeatResponse answer, ClockReading sentAt) {
    // An answer to an earlier beat may speak of the incarnation before.
    if (isRegisteredSince(sentAt) && answer.getLostList().contains(name)) {
      lost();
    }
  }

  private boolean isRegisteredSince(ClockReading sentAt) {
    Registration current = registration;
    return current != null && current.answeredAt.nanos() - sentAt.nanos() <= 0;
  }

  @Override
  public OptionalInt membersSince(ClockReading sentAt) {
    if (registering || leaving) {
      return OptionalInt.empty();
    }
    return registration == null || isRegisteredSince(sentAt)
        ? OptionalInt.of(registration == null ? 0 : 1)
        : OptionalInt.empty();
  }

  @Override
  public void onMembersMissing() {
    Registration current = registration;
    if (current == null || verifying) {
      return;
    }
    verifying = true;
    GetMemberRequest request =
        GetMemberRequest.newBuilder()
            .setNamespace(namespace)
            .setGroup(name.getGroup())
            .setName(name.getName())
            .build();
    runtime
        .send(RegistryServiceGrpc.getGetMemberMethod(), request, runtime.callDeadline())
        .whenComplete(
            (answer, thrown) -> {
              verifying = false;
              boolean gone =
                  answer != null
                      ? !isThere(answer.getMember(), current)
                      : thrown instanceof CallFailedException failure
                          && NOT_THERE.contains(failure.reason());
              if (gone && registration == current) {
                lost();
              }
            });
  }

  private static boolean isThere(Member found, Registration current) {
    return found.getIncarnation() == current.member.getIncarnation()
        && found.getState() != MemberState.MEMBER_STATE_DEAD
        && found.getState() != MemberState.MEMBER_STATE_LEFT;
  }

  /** It is not registered, or no longer: told first, then registered again. */
  private void lost() {
    registration = null;
    if (joined.isDone()) {
      announce();
    }
    register();
  }

  private void register() {
    boolean possible = session != null && session.isOpen() && registration == null;
    if (leaving || registering || !possible) {
      return;
    }
    registering = true;
    RegistrySession in = session;
    Desired sent = updates.desired();
    RegisterRequest request =
        sent.attributes.toBuilder()
            .setSessionId(in.id())
            .setSessionIncarnation(in.incarnation())
            .setRequestId(runtime.newRequestId())
            .build();
    runtime
        .retried(RegistryServiceGrpc.getRegisterMethod(), request)
        .everyStatusWithin(RetrySchedule.MAX_BACKOFF)
        .whileWanted(() -> in.isOpen() && !refused)
        .onFailure(failure -> registerFailed(in, failure))
        .send()
        .whenComplete((answer, thrown) -> onLoop(() -> registered(in, sent, answer)));
  }

  private void registerFailed(RegistrySession in, CallFailedException failure) {
    if (RegistrySession.isUnknown(failure)) {
      in.markUnknown();
    } else {
      failed(failure);
    }
  }

  /** Later, or when it is to leave, a refusal that cannot be helped ends nothing. */
  private void failed(CallFailedException failure) {
    if (!RetrySchedule.isWorthRetrying(failure) && (leaving || !joined.isDone())) {
      refused = true;
      joined.completeExceptionally(failure);
    }
  }

  /**
   * @param answer null if it was given up
   */
  private void registered(RegistrySession in, Desired sent, RegisterResponse answer) {
    registering = false;
    if (answer == null || !in.isOpen()) {
      if (leaving) {
        depart();
      } else {
        register();
      }
    } else if (answer.getOutcome() == RegisterResponse.Outcome.OUTCOME_TAKEN) {
      taken(answer.getMember());
    } else {
      registration = new Registration(in, answer.getMember(), runtime.environment().now());
      if (leaving) {
        depart();
        return;
      }
      updates.registered(sent);
      joined.complete(null);
      announce();
      observer.onRegistered(in);
      updates.reconcile();
    }
  }

  /** By a session that is not this one. It is left alone; the name may become free. */
  private void taken(Member holder) {
    if (leaving) {
      depart();
    } else if (!joined.completeExceptionally(new MemberNameTakenException(holder))) {
      runtime.after(RetrySchedule.MAX_BACKOFF, this::register);
    }
  }

  /**
   * Changes what it is to others. Completes when the server has it; at once while it is lost: it is
   * registered with it. On any thread.
   */
  public CompletableFuture<Void> update(UnaryOperator<Desired> change) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    onLoop(() -> updates.change(change, done));
    return done;
  }

  /** Completes when the server has it as LEFT. Nothing is sent for it after that. On any thread. */
  public CompletableFuture<Void> leave() {
    leaving = true;
    onLoop(
        () -> {
          announce();
          joined.completeExceptionally(new IllegalStateException("the member has left"));
          updates.reconcile();
          // A Deregister would overtake a registration that is on its way.
          if (!registering || shared.isLast(this)) {
            depart();
          }
        });
    return left;
  }

  private void depart() {
    Registration last = registration;
    registration = null;
    if (last == null || !last.session.isOpen() || shared.isLast(this)) {
      shared.detach(this).whenComplete((answer, thrown) -> left.complete(null));
      return;
    }
    DeregisterRequest request =
        DeregisterRequest.newBuilder()
            .setNamespace(namespace)
            .setGroup(name.getGroup())
            .setName(name.getName())
            .setSessionId(last.session.id())
            .setIncarnation(last.member.getIncarnation())
            .setRequestId(runtime.newRequestId())
            .build();
    runtime
        .retried(RegistryServiceGrpc.getDeregisterMethod(), request)
        .whileWanted(last.session::isOpen)
        .send()
        .whenComplete(
            (answer, thrown) ->
                onLoop(
                    () ->
                        shared.detach(this).whenComplete((closed, failed) -> left.complete(null))));
  }
}
