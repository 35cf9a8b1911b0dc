package dev.plinth.lease.grpc;

import dev.plinth.lease.core.KeyView;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeasePage;
import dev.plinth.lease.core.LeasePage.Position;
import dev.plinth.lease.core.Leases;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.GetFenceRequest;
import dev.plinth.lease.v1.GetFenceResponse;
import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.GetLeaseResponse;
import dev.plinth.lease.v1.ListLeasesRequest;
import dev.plinth.lease.v1.ListLeasesResponse;
import dev.plinth.lease.v1.ListWaitersRequest;
import dev.plinth.lease.v1.ListWaitersResponse;
import dev.plinth.lease.v1.RaiseFenceRequest;
import dev.plinth.lease.v1.RaiseFenceResponse;
import dev.plinth.lease.v1.ValidateRequest;
import dev.plinth.lease.v1.ValidateResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;

/** The calls that look at keys and fences. */
final class LeaseQueryCalls {
  // The last token and key on a page.
  private static final PageTokenFormat PAGES =
      new PageTokenFormat("l1.", "\\d{1,19}", ".+", LeaseWire.MAX_KEY + 32);

  private LeaseQueryCalls() {}

  static StateFunction<Leases, RaiseFenceResponse> raiseFence(
      String namespace, RaiseFenceRequest request) {
    LeaseName resource = LeaseWire.resource(namespace, request.getResource());
    long token = LeaseWire.token(request.getToken());
    return (leases, tx) -> {
      long floor = leases.fences().raise(resource, token, tx);
      return RaiseFenceResponse.newBuilder().setAccepted(floor == token).setFloor(floor).build();
    };
  }

  static StateFunction<Leases, GetFenceResponse> getFence(
      String namespace, GetFenceRequest request) {
    LeaseName resource = LeaseWire.resource(namespace, request.getResource());
    return (leases, tx) ->
        GetFenceResponse.newBuilder().setFloor(leases.fences().floor(resource)).build();
  }

  static StateFunction<Leases, ValidateResponse> validate(
      String namespace, ValidateRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    long token = LeaseWire.token(request.getToken());
    return (leases, tx) -> {
      ValidateResponse.Builder response = ValidateResponse.newBuilder();
      leases
          .validate(name, token, tx)
          .ifPresentOrElse(
              lease ->
                  response
                      .setOutcome(ValidateResponse.Outcome.OUTCOME_VALID)
                      .setRemaining(FieldChecks.wire(lease.remaining())),
              () -> response.setOutcome(ValidateResponse.Outcome.OUTCOME_STALE));
      leases.newestToken(name).ifPresent(response::setCurrentToken);
      return response.build();
    };
  }

  static StateFunction<Leases, GetLeaseResponse> getLease(
      String namespace, GetLeaseRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    return (leases, tx) -> {
      KeyView view = leases.get(name, tx);
      GetLeaseResponse.Builder response =
          GetLeaseResponse.newBuilder()
              .addAllHolders(LeaseWire.leases(view.holders()))
              .setHoldersTotal(view.holderCount())
              .setWaiters(view.waiters());
      if (!view.barredFor().isZero()) {
        response.setDelayedFor(FieldChecks.wire(view.barredFor()));
      }
      return response.build();
    };
  }

  static StateFunction<Leases, ListLeasesResponse> listLeases(
      String namespace, ListLeasesRequest request) {
    LeasePage.Request asked =
        new LeasePage.Request(
            namespace,
            LeaseWire.prefix(request.getKeyPrefix()),
            FieldChecks.optionalName("owner_id", request.getOwnerId(), LeaseWire.MAX_OWNER),
            PAGES.parse(
                request.getPageToken(), Position.START, (token, key) -> new Position(key, token)),
            FieldChecks.pageSize(request.getPageSize()));
    return (leases, tx) -> {
      LeasePage page = leases.list(asked, tx);
      ListLeasesResponse.Builder response =
          ListLeasesResponse.newBuilder().addAllLeases(LeaseWire.leases(page.leases()));
      page.next()
          .ifPresent(last -> response.setNextPageToken(PAGES.text(last.token(), last.key())));
      return response.build();
    };
  }

  static StateFunction<Leases, ListWaitersResponse> listWaiters(
      String namespace, ListWaitersRequest request) {
    LeaseName name = LeaseWire.name(namespace, request.getKey());
    return (leases, tx) -> {
      WaitersView waiters = leases.waiters(name, LeaseWire.MAX_WAITERS, tx);
      return ListWaitersResponse.newBuilder()
          .addAllWaiters(waiters.line().stream().map(LeaseWire::waiter).toList())
          .setTotal(waiters.total())
          .build();
    };
  }
}
