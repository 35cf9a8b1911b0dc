package dev.plinth.standalone.history;

import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.lease.v1.WatchEvent;
import dev.plinth.lease.v1.WatchRequest;
import dev.plinth.lease.v1.WatchResponse;
import dev.plinth.testkit.lease.LogEvent;
import dev.plinth.testkit.lease.WatchChecker.Told;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches a namespace through one node after the other, resumed wherever it breaks off, and keeps
 * what it was told. What came without a token to go on after is told again, so it does not count.
 */
final class WatchRecorder {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final long TURN_MILLIS = 1500;

  private final Cluster cluster;
  private final WatchRequest request;
  private final List<Told> told = new ArrayList<>();
  private final Set<Long> parts = new TreeSet<>(); // of a snapshot that comes in several messages
  private int counted;
  private String token = "";
  private int node;

  WatchRecorder(Cluster cluster, String namespace, int node) {
    this.cluster = cluster;
    this.request = WatchRequest.newBuilder().setNamespace(namespace).build();
    this.node = node;
  }

  /** One stream, until it breaks off or its turn is over. */
  void turn() {
    Context.CancellableContext stream = Context.ROOT.withCancellation();
    try {
      stream.run(this::listen);
    } catch (StatusRuntimeException e) {
      LockSupport.parkNanos(RETRY_NANOS);
    } finally {
      stream.cancel(null);
    }
    synchronized (told) {
      told.subList(counted, told.size()).clear();
      parts.clear();
    }
    node = (node + 1) % cluster.size();
  }

  private void listen() {
    Iterator<WatchResponse> messages =
        LeaseServiceGrpc.newBlockingStub(cluster.node(node % cluster.size()).channel())
            .withDeadlineAfter(TURN_MILLIS, TimeUnit.MILLISECONDS)
            .watch(request.toBuilder().setResumeToken(token).build());
    while (messages.hasNext()) {
      hear(messages.next());
    }
  }

  private void hear(WatchResponse message) {
    synchronized (told) {
      switch (message.getBodyCase()) {
        case SNAPSHOT -> {
          message.getSnapshot().getLeasesList().stream().map(Lease::getToken).forEach(parts::add);
          if (!message.getSnapshot().getMore()) {
            told.add(new Told.Snapshot(new TreeSet<>(parts)));
            parts.clear();
          }
        }
        case EVENTS -> message.getEvents().getEventsList().forEach(this::happened);
        case GAP -> told.add(new Told.Gap());
        default -> {}
      }
      if (!message.getResumeToken().isEmpty() && !message.hasGap()) {
        token = message.getResumeToken();
        counted = told.size();
      }
    }
  }

  private void happened(WatchEvent event) {
    if (event.getType() != WatchEvent.Type.TYPE_CHANGED) {
      String type = event.getType().name().substring("TYPE_".length());
      told.add(new Told.Happened(LogEvent.Type.valueOf(type), event.getLease().getToken()));
    }
  }

  /** Whether it has come to this event, or told a state since by a snapshot in which nothing is. */
  boolean hasTold(LogEvent last) {
    List<Told> all = told();
    Told end = all.isEmpty() ? new Told.Gap() : all.get(all.size() - 1);
    return end.equals(new Told.Happened(last.type(), last.token()))
        || end instanceof Told.Snapshot snapshot && snapshot.tokens().isEmpty();
  }

  List<Told> told() {
    synchronized (told) {
      return List.copyOf(told.subList(0, counted));
    }
  }
}
