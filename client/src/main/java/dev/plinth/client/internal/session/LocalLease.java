package dev.plinth.client.internal.session;

import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.ReleaseAsk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * What one holder may believe of one hold: what its session says, unless the hold itself ended
 * before. An operator's grace counts like the session's time, from before the heartbeat that told
 * of it was sent: so it is over here before the server ends the hold.
 */
public final class LocalLease implements ClientSession.SessionListener {
  private record Listener(LeaseState on, Runnable task, AtomicBoolean inFlight) {
    /** Not while it has not come back from the last time: each would cost a thread. */
    void tell(Executor callbacks) {
      if (inFlight.compareAndSet(false, true)) {
        callbacks.execute(this::run);
      }
    }

    private void run() {
      try {
        task.run();
      } finally {
        inFlight.set(false);
      }
    }
  }

  private final Lease lease;
  private final LeaseReleaser releaser;
  private final ClientSession session;
  private final ClientEnvironment environment;
  private final long since;
  private final List<Listener> listeners = new ArrayList<>();
  private final List<Consumer<ReleaseAsk>> askListeners = new ArrayList<>();
  private LeaseState announced = LeaseState.SAFE;
  private boolean onOffer;
  private boolean released;
  private boolean lost;
  private ReleaseAsk ask;
  private long graceEnd;
  // When the end of the grace is looked for next, if at all.
  private boolean isLookedFor;
  private long nextLook;

  private LocalLease(Lease lease, ClientSession session, LeaseReleaser releaser) {
    this.lease = lease;
    this.releaser = releaser;
    this.session = session;
    this.environment = session.environment();
    this.since = environment.now().nanos();
  }

  public static LocalLease on(ClientSession session, Lease lease, LeaseReleaser releaser) {
    LocalLease hold = new LocalLease(lease, session, releaser);
    session.attach(hold);
    hold.announce(); // what the session said before it was attached
    return hold;
  }

  public Lease lease() {
    return lease;
  }

  public synchronized LeaseState state() {
    if (released || onOffer) {
      return LeaseState.RELEASED;
    }
    lost |= ask != null && graceEnd - environment.now().nanos() <= 0;
    return lost ? LeaseState.LOST : session.state();
  }

  public boolean isExpiredInSleep() {
    return session.isExpiredInSleep();
  }

  public synchronized boolean isHeld() {
    LeaseState state = state();
    return state == LeaseState.SAFE || state == LeaseState.JEOPARDY;
  }

  /** Unlike one on offer, it cannot be held again. */
  public synchronized boolean isEnded() {
    return !onOffer && !isHeld();
  }

  public synchronized Duration remaining() {
    if (!isHeld()) {
      return Duration.ZERO;
    }
    Duration left = session.remaining();
    return ask == null
        ? left
        : ClientWire.shorter(left, Duration.ofNanos(graceEnd - environment.now().nanos()));
  }

  /** False if it was not held any more. */
  public synchronized boolean release() {
    onOffer = false;
    boolean held = isHeld();
    released = true;
    if (held) {
      ended(LeaseState.RELEASED);
    }
    return held;
  }

  /** Releases it at the server too. If that does not answer, the client continues by itself. */
  public void close() {
    if (release()) {
      releaser.now(lease);
    }
  }

  /** As {@link #close}, without waiting. */
  public void closeLater() {
    if (release()) {
      releaser.later(lease);
    }
  }

  /** For one that nobody has used, though its session is lost. */
  public void undo() {
    release();
    releaser.unused(lease);
  }

  /** RELEASED for as long as it may be given to another; false if it was not held any more. */
  public synchronized boolean beginTransfer() {
    boolean held = isHeld();
    onOffer = held;
    return held;
  }

  /** Nobody took it; whatever befell the session meanwhile counts. */
  public void cancelTransfer() {
    synchronized (this) {
      onOffer = false;
    }
    announce();
  }

  /** It ended by another's hand. */
  public void markLost() {
    synchronized (this) {
      lost = true;
    }
    announce();
  }

  /** Runs the task at each change into the state, and now if it is there already. */
  public synchronized void on(LeaseState state, Runnable task) {
    if (released) {
      return;
    }
    Listener listener = new Listener(state, task, new AtomicBoolean());
    if (announced == state) {
      listener.tell(environment.callbacks());
    }
    listeners.add(listener);
  }

  public synchronized void onAsked(Consumer<ReleaseAsk> task) {
    if (ask != null) {
      notifyListeners(task, ask);
    }
    askListeners.add(task);
  }

  @Override
  public void sessionChanged() {
    announce();
  }

  /** Told with every heartbeat; only the grace may be another one. */
  @Override
  public synchronized void onReleaseAsked(ReleaseAsk told, ClockReading sentAt) {
    if (told.getToken() != lease.getToken()) {
      return;
    }
    boolean first = ask == null;
    ask = told;
    graceEnd = sentAt.nanos() + ClientWire.duration(told.getGrace()).toNanos();
    if (first) {
      askListeners.forEach(task -> notifyListeners(task, told));
    }
    lookForGraceEnd();
  }

  /** One look is enough, unless the grace ends earlier than was thought. */
  private void lookForGraceEnd() {
    if (!isLookedFor || graceEnd - nextLook < 0) {
      isLookedFor = true;
      nextLook = graceEnd;
      long at = nextLook;
      long left = Math.max(0, at - environment.now().nanos());
      environment.loop().after(Duration.ofNanos(left), () -> look(at));
    }
  }

  private synchronized void look(long at) {
    announce();
    if (at == nextLook) {
      isLookedFor = false;
      if (isHeld()) { // the grace ends later than was thought
        lookForGraceEnd();
      }
    }
  }

  private void notifyListeners(Consumer<ReleaseAsk> task, ReleaseAsk what) {
    environment.callbacks().execute(() -> task.accept(what));
  }

  private synchronized void announce() {
    LeaseState state = state();
    if (state == LeaseState.RELEASED || state == announced) {
      return;
    }
    announced = state;
    if (state == LeaseState.JEOPARDY) {
      environment.events().jeopardy();
    } else if (state == LeaseState.LOST) {
      ended(state);
    }
    listeners.stream()
        .filter(listener -> listener.on == state)
        .forEach(listener -> listener.tell(environment.callbacks()));
  }

  private void ended(LeaseState how) {
    session.detach(this);
    environment.events().held(how, Duration.ofNanos(environment.now().nanos() - since));
  }
}
