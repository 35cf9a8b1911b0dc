package dev.plinth.client.internal.session;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.OrderedSet;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The registry session of one namespace, shared by all who need one: opened for the first, opened
 * anew when the server no longer has it, closed with the last. All of it on the event loop.
 */
public final class SharedRegistrySession implements RegistrySession.Listener {
  private static final Logger log = System.getLogger("plinth.client");

  /** Needs a session. Called on the event loop, unless it says otherwise. */
  public interface User {
    /** There is a session, a new one. */
    void onOpen(RegistrySession session);

    /** The session could not be opened; another attempt follows. */
    default void onOpenFailed(CallFailedException failure) {}

    /** On any thread: the session's state has changed. Not told of a session that was closed. */
    void onState(RegistrySession session, LeaseState state);

    /** A beat that was sent then was answered. */
    default void onBeat(BeatResponse answer, ClockReading sentAt) {}

    /** How many members it has had in the session since before then; empty if that is in flux. */
    default OptionalInt membersSince(ClockReading sentAt) {
      return OptionalInt.of(0);
    }

    /** The server has fewer members in the session than all users have together. */
    default void onMembersMissing() {}
  }

  private final String namespace;
  private final Duration ttl;
  private final ClientRuntime runtime;
  private final OrderedSet<User> users = new OrderedSet<>();
  private RegistrySession session;
  private boolean opening;
  private boolean closed;

  SharedRegistrySession(String namespace, Duration ttl, ClientRuntime runtime) {
    this.namespace = namespace;
    this.ttl = ttl;
    this.runtime = runtime;
  }

  /** From now on the user is told of sessions. */
  public void attach(User user) {
    users.add(user);
    if (session != null) {
      user.onOpen(session);
    } else {
      open();
    }
  }

  /** Whether nobody else uses it: then it ends with this one. */
  public boolean isLast(User user) {
    return users.copy().equals(List.of(user));
  }

  /**
   * Ends with the session if it was the last, and no beat is sent after that.
   *
   * @return completes when the server has closed the session; at once if others use it
   */
  public CompletableFuture<?> detach(User user) {
    users.remove(user);
    return users.copy().isEmpty() ? closeSession() : CompletableFuture.completedFuture(null);
  }

  /** For good, with the client: whatever is still in it has left. */
  CompletableFuture<?> close() {
    closed = true;
    return closeSession();
  }

  private CompletableFuture<?> closeSession() {
    RegistrySession last = session;
    session = null;
    return last == null || !last.isOpen() ? CompletableFuture.completedFuture(null) : last.close();
  }

  private boolean isWanted() {
    return !closed && !users.copy().isEmpty();
  }

  private void open() {
    if (opening || !isWanted()) {
      return;
    }
    opening = true;
    ClockReading sentAt = runtime.environment().now();
    OpenSessionRequest request =
        OpenSessionRequest.newBuilder()
            .setNamespace(namespace)
            .setClient(runtime.owner())
            .setTtl(ClientWire.duration(ttl))
            .setRequestId(runtime.newRequestId())
            .build();
    runtime
        .retried(RegistryServiceGrpc.getOpenSessionMethod(), request)
        .everyStatusWithin(RetrySchedule.MAX_BACKOFF)
        .whileWanted(this::isWanted)
        .onFailure(failure -> eachUser(user -> user.onOpenFailed(failure)))
        .send()
        .whenComplete(
            (answer, thrown) -> runtime.environment().loop().execute(() -> opened(answer, sentAt)));
  }

  /**
   * @param answer null if nobody wanted it any more
   */
  private void opened(OpenSessionResponse answer, ClockReading sentAt) {
    opening = false;
    if (answer == null) {
      open(); // somebody may want it again
      return;
    }
    RegistrySession next = new RegistrySession(namespace, answer, sentAt, runtime, this);
    if (!isWanted()) {
      next.close();
      return;
    }
    session = next;
    next.start();
    eachUser(user -> user.onOpen(next));
  }

  @Override
  public void onBeat(BeatResponse answer, ClockReading sentAt) {
    eachUser(user -> user.onBeat(answer, sentAt));
    // A new owner of the shard does not know which members were lost before its time.
    if (believedMembers(sentAt) > answer.getMembers()) {
      eachUser(User::onMembersMissing);
    }
  }

  /** 0 if it is not certain. */
  private int believedMembers(ClockReading sentAt) {
    int sum = 0;
    for (User user : users.copy()) {
      OptionalInt members = user.membersSince(sentAt);
      if (members.isEmpty()) {
        return 0;
      }
      sum += members.getAsInt();
    }
    return sum;
  }

  @Override
  public void onState(RegistrySession of, LeaseState state) {
    eachUser(user -> user.onState(of, state));
  }

  @Override
  public void onEnd(RegistrySession of) {
    if (session == of) {
      log.log(Level.WARNING, "session {0} of {1} is lost; a new one is opened", of.id(), namespace);
      session = null;
      open();
    }
  }

  /** One that fails keeps neither the others from being told nor the session from its beats. */
  private void eachUser(Consumer<User> tell) {
    for (User user : users.copy()) {
      try {
        tell.accept(user);
      } catch (Throwable e) {
        log.log(Level.ERROR, "namespace " + namespace + ": a user of its session failed", e);
      }
    }
  }
}
