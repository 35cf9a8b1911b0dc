package dev.plinth.lease.grpc;

import dev.plinth.lease.core.LeaseChange;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveRequest;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ObserveResponse.NoLeader;
import dev.plinth.lease.v1.ObserveResponse.Snapshot;
import dev.plinth.shards.Event;
import dev.plinth.shards.grpc.WatchedEvents;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** What one Observe call sees: one election, each event a message of its own. */
final class ElectionWatch
    implements WatchedEvents<Leases, ElectionWatch.Standing, ObserveResponse> {
  private final LeaseName name;

  ElectionWatch(String namespace, ObserveRequest request) {
    this.name = ElectionWire.name(namespace, request.getElection());
  }

  /** An election as of now. */
  record Standing(Optional<LeaseView> leader, long term) {}

  @Override
  public Standing snapshot(Leases leases, long nanos) {
    return new Standing(leases.leader(name, nanos), leases.term(name));
  }

  @Override
  public Iterator<ObserveResponse.Builder> snapshot(Standing now) {
    Snapshot.Builder snapshot = Snapshot.newBuilder().setTerm(now.term());
    now.leader().map(ElectionWire::leader).ifPresent(snapshot::setLeader);
    return List.of(ObserveResponse.newBuilder().setSnapshot(snapshot)).iterator();
  }

  @Override
  public List<ObserveResponse.Builder> events(List<Event> events) {
    List<ObserveResponse.Builder> messages = new ArrayList<>();
    for (Event event : events) {
      if (event.key().equals(name.path())
          && event.body() instanceof LeaseChange change
          && isNews(change)) {
        messages.add(message(event, change));
      }
    }
    return messages;
  }

  /** A hold also changes in ways that are no news of its value. */
  private static boolean isNews(LeaseChange change) {
    return change.type() != LeaseChange.Type.CHANGED;
  }

  private static ObserveResponse.Builder message(Event event, LeaseChange change) {
    ObserveResponse.Builder message = ObserveResponse.newBuilder();
    return switch (change.type()) {
      case GRANTED -> message.setLeader(leader(event));
      case CHANGED, PAYLOAD_CHANGED -> message.setValue(leader(event));
      case ENDED ->
          message.setNoLeader(
              NoLeader.newBuilder()
                  .setTerm(change.lease().term())
                  .setCause(LeaseWire.CAUSES.of(change.ended().orElseThrow())));
    };
  }

  private static Leader leader(Event event) {
    return event.as(Leader.class, change -> ElectionWire.leader(((LeaseChange) change).lease()));
  }
}
