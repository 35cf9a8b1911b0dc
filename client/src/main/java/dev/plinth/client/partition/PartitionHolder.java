package dev.plinth.client.partition;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MembershipState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.client.internal.session.RegistrySession;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.registry.v1.GetAssignmentRequest;
import dev.plinth.registry.v1.GetAssignmentResponse;
import dev.plinth.registry.v1.JoinGroupRequest;
import dev.plinth.registry.v1.JoinGroupResponse;
import dev.plinth.registry.v1.OwnedPartition;
import dev.plinth.registry.v1.Partition;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.RegisterRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The partitions of one member. A watch only says that something has changed; what the member owns
 * is then read from the server, so nothing that was on its way while the member was away can be
 * mistaken for an assignment. All of it on the event loop, except what is read by anybody.
 *
 * <p>A partition is released only after the application's callback has returned. When the session
 * may be dead by the monotonic clock, all are revoked here at once, without a word to the server.
 */
final class PartitionHolder implements Membership.Observer {
  private final RegisterRequest member;
  private final int count;
  private final ClientRuntime runtime;
  private final PartitionCallbacks callbacks;
  private final PartitionReleaser releaser;
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  // Tokens of partitions that the application may act for, or has not finished to let go of.
  private final Map<Integer, Long> entries = new HashMap<>();
  // What is not revoked, of these. Read by anybody.
  private volatile Map<Integer, Owned> owned = Map.of();
  private CompletableFuture<Void> emptied;
  private RegistrySession session;
  private RegistrySession joinedIn;
  // Rises whenever the member may not have been one: an answer asked for before says nothing.
  private int epoch;
  private boolean active;
  private boolean joining;
  private boolean reading;
  private boolean changedMeanwhile;
  private boolean refused;

  PartitionHolder(
      RegisterRequest member, int count, ClientRuntime runtime, PartitionCallbacks callbacks) {
    this.member = member;
    this.count = count;
    this.runtime = runtime;
    this.callbacks = callbacks;
    this.releaser = new PartitionReleaser(member, runtime, this::refresh);
  }

  /** Completes when it shares the partitions for the first time; fails if that was refused. */
  CompletableFuture<Void> joined() {
    return joined;
  }

  /** On any thread. By itself it does not look at the clock. */
  Map<Integer, Owned> owned() {
    return owned;
  }

  @Override
  public void onRegistered(RegistrySession in) {
    if (session != in) {
      releaser.begin(in);
    }
    session = in;
    joinedIn = null;
    epoch++;
    joinGroup();
  }

  @Override
  public void onState(MembershipState state) {
    boolean isMember = state == MembershipState.JOINED || state == MembershipState.JEOPARDY;
    if (active == isMember) {
      return;
    }
    active = isMember;
    epoch++;
    if (!active) {
      List.copyOf(entries.keySet()).forEach(partition -> revoke(partition, false));
    } else if (session != null && session.isOpen()) {
      refresh(); // the server kept it all the same
    }
  }

  /** From the watch. */
  void onChange(List<Partition> changed) {
    boolean concerned =
        changed.stream()
            .anyMatch(
                each ->
                    entries.containsKey(each.getPartition())
                        || each.getOwner().equals(member.getName()));
    if (concerned) {
      refresh();
    }
  }

  private boolean isWanted(RegistrySession in) {
    return active && session == in && in.isOpen() && emptied == null;
  }

  private void joinGroup() {
    RegistrySession in = session;
    if (joining || refused || joinedIn == in || !isWanted(in)) {
      return;
    }
    joining = true;
    JoinGroupRequest request =
        JoinGroupRequest.newBuilder()
            .setNamespace(member.getNamespace())
            .setGroup(member.getGroup())
            .setName(member.getName())
            .setSessionId(in.id())
            .setSessionIncarnation(in.incarnation())
            .setPartitionCount(count)
            .setRequestId(runtime.newRequestId())
            .build();
    int asked = epoch;
    runtime
        .retried(PartitionServiceGrpc.getJoinGroupMethod(), request)
        .everyStatusWithin(RetrySchedule.MAX_BACKOFF)
        .whileWanted(() -> asked == epoch && isWanted(in) && !refused)
        .onFailure(failure -> joinFailed(in, failure))
        .send()
        .whenComplete((answer, thrown) -> onLoop(() -> answered(in, asked, answer)));
  }

  private void joinFailed(RegistrySession in, CallFailedException failure) {
    if (RegistrySession.isUnknown(failure)) {
      in.markUnknown();
    } else if (!RetrySchedule.isWorthRetrying(failure) && !joined.isDone()) {
      refused = true;
      joined.completeExceptionally(failure);
    }
  }

  /**
   * @param answer null if it was given up
   */
  private void answered(RegistrySession in, int asked, JoinGroupResponse answer) {
    joining = false;
    if (answer != null && asked == epoch) {
      joinedIn = in;
      joined.complete(null);
      refresh();
    } else {
      joinGroup();
    }
  }

  /** Reads what the member owns; once more if something changes meanwhile. */
  private void refresh() {
    RegistrySession in = session;
    if (joinedIn != in || !isWanted(in)) {
      joinGroup();
      return;
    }
    if (reading) {
      changedMeanwhile = true;
      return;
    }
    reading = true;
    changedMeanwhile = false;
    int asked = epoch;
    GetAssignmentRequest request =
        GetAssignmentRequest.newBuilder()
            .setNamespace(member.getNamespace())
            .setGroup(member.getGroup())
            .setName(member.getName())
            .setSessionId(in.id())
            .build();
    runtime
        .retried(PartitionServiceGrpc.getGetAssignmentMethod(), request)
        .whileWanted(() -> asked == epoch && isWanted(in))
        .send()
        .whenComplete((answer, thrown) -> onLoop(() -> read(asked, answer, thrown)));
  }

  private void read(int asked, GetAssignmentResponse answer, Throwable thrown) {
    reading = false;
    if (asked == epoch && emptied == null) {
      if (answer != null) {
        apply(answer.getPartitionsList());
      } else if (thrown instanceof CallFailedException failure) {
        failed(failure);
        return;
      }
    }
    if (changedMeanwhile || asked != epoch) {
      refresh();
    }
  }

  private void failed(CallFailedException failure) {
    if (failure.reason() == ErrorReason.ERROR_REASON_MEMBER_NOT_JOINED) {
      joinedIn = null;
      epoch++;
      apply(List.of());
      joinGroup();
    } else {
      runtime.after(RetrySchedule.MAX_BACKOFF, this::refresh);
    }
  }

  private void apply(List<OwnedPartition> now) {
    Map<Integer, OwnedPartition> there = new HashMap<>();
    now.forEach(each -> there.put(each.getPartition(), each));
    for (Integer partition : List.copyOf(entries.keySet())) {
      OwnedPartition each = there.get(partition);
      boolean same = each != null && each.getToken() == entries.get(partition);
      if (!same) {
        revoke(partition, false); // lost in some other way: there is nothing to release
      } else if (each.getRevoked()) {
        revoke(partition, true);
      }
    }
    for (OwnedPartition each : now) {
      if (!entries.containsKey(each.getPartition())) {
        if (each.getRevoked()) {
          releaser.release(each.getPartition(), each.getToken());
        } else if (!releaser.isReleased(each.getPartition(), each.getToken())) {
          assign(new Owned(each.getPartition(), each.getToken()));
        }
      }
    }
  }

  private void assign(Owned partition) {
    entries.put(partition.partition(), partition.token());
    Map<Integer, Owned> next = new HashMap<>(owned);
    next.put(partition.partition(), partition);
    owned = Map.copyOf(next);
    callbacks.assigned(partition);
  }

  /** What is owned shrinks first, then the application is told, and then it is released. */
  private void revoke(int partition, boolean release) {
    Owned was = owned.get(partition);
    if (was == null) {
      return; // the application is being told
    }
    Map<Integer, Owned> next = new HashMap<>(owned);
    next.remove(partition);
    owned = Map.copyOf(next);
    RegistrySession in = session;
    callbacks.revoked(was, () -> onLoop(() -> letGo(was, release && in == session)));
  }

  private void letGo(Owned was, boolean release) {
    entries.remove(was.partition());
    if (release) {
      releaser.release(was.partition(), was.token());
    }
    if (emptied != null) {
      completeIfEmpty();
    } else {
      refresh(); // it may have been assigned again meanwhile
    }
  }

  /** Revokes everything for good; completes when every callback has returned. On any thread. */
  CompletableFuture<Void> revokeAll() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    onLoop(
        () -> {
          emptied = done;
          joined.completeExceptionally(new IllegalStateException("the partitions are closed"));
          List.copyOf(entries.keySet()).forEach(partition -> revoke(partition, false));
          completeIfEmpty();
        });
    return done;
  }

  private void completeIfEmpty() {
    if (entries.isEmpty()) {
      emptied.complete(null);
    }
  }

  private void onLoop(Runnable task) {
    runtime.environment().loop().execute(task);
  }
}
