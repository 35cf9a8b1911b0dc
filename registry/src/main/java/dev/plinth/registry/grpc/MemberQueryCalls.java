package dev.plinth.registry.grpc;

import dev.plinth.registry.core.MemberExplanation;
import dev.plinth.registry.core.MemberExplanation.EndDetail;
import dev.plinth.registry.core.MemberExplanation.HoldDetail;
import dev.plinth.registry.core.MemberExplanation.SessionDetail;
import dev.plinth.registry.core.MemberName;
import dev.plinth.registry.core.MemberOverride;
import dev.plinth.registry.core.MemberPage;
import dev.plinth.registry.core.MemberPage.Position;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.v1.ExpiryHold;
import dev.plinth.registry.v1.ExplainMemberRequest;
import dev.plinth.registry.v1.ExplainMemberResponse;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.GetMemberResponse;
import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.ListMembersResponse;
import dev.plinth.registry.v1.MemberEnd;
import dev.plinth.registry.v1.MemberSession;
import dev.plinth.registry.v1.OverrideDetail;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;

/** The calls that look at members. */
final class MemberQueryCalls {
  // The format's number, then the group and name of the last member that was looked at.
  private static final PageTokenFormat PAGES =
      new PageTokenFormat("m", "1", "[a-z0-9-]{1,63}/.*", RegistryWire.MAX_NAME + 80);

  private MemberQueryCalls() {}

  static StateFunction<Members, GetMemberResponse> get(String namespace, GetMemberRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    return (members, tx) ->
        GetMemberResponse.newBuilder().setMember(RegistryWire.member(members.get(name))).build();
  }

  static StateFunction<Members, ListMembersResponse> list(
      String namespace, ListMembersRequest request) {
    MemberPage.Request asked =
        new MemberPage.Request(
            namespace,
            RegistryWire.anyGroup(request.getGroup()),
            RegistryWire.filters(request.getFiltersList()),
            PAGES.parse(request.getPageToken(), Position.START, (one, rest) -> position(rest)),
            FieldChecks.pageSize(request.getPageSize()));
    return (members, tx) -> {
      MemberPage page = members.list(asked);
      ListMembersResponse.Builder response =
          ListMembersResponse.newBuilder()
              .addAllMembers(page.members().stream().map(RegistryWire::member).toList())
              .setExpiryHeld(page.held());
      page.next()
          .ifPresent(
              last -> response.setNextPageToken(PAGES.text(1, last.group() + "/" + last.member())));
      return response.build();
    };
  }

  private static Position position(String text) {
    int slash = text.indexOf('/');
    return new Position(text.substring(0, slash), text.substring(slash + 1));
  }

  static StateFunction<Members, ExplainMemberResponse> explain(
      String namespace, ExplainMemberRequest request) {
    MemberName name = RegistryWire.name(namespace, request.getGroup(), request.getName());
    return (members, tx) -> explanation(members.explain(name, tx));
  }

  private static ExplainMemberResponse explanation(MemberExplanation explained) {
    ExplainMemberResponse.Builder response =
        ExplainMemberResponse.newBuilder()
            .setMember(RegistryWire.member(explained.member()))
            .setWhy(explained.why());
    explained.session().map(MemberQueryCalls::session).ifPresent(response::setSession);
    explained.member().override().map(MemberQueryCalls::override).ifPresent(response::setOverride);
    explained.hold().map(MemberQueryCalls::hold).ifPresent(response::setHold);
    explained.end().map(MemberQueryCalls::end).ifPresent(response::setEnd);
    return response.build();
  }

  private static MemberSession session(SessionDetail detail) {
    MemberSession.Builder session =
        MemberSession.newBuilder()
            .setSessionId(detail.key().id())
            .setIncarnation(detail.key().incarnation())
            .setClient(detail.client())
            .setTtl(FieldChecks.wire(detail.ttl()));
    detail.silentFor().map(FieldChecks::wire).ifPresent(session::setSilentFor);
    detail.suspectIn().map(FieldChecks::wire).ifPresent(session::setSuspectIn);
    detail.deadIn().map(FieldChecks::wire).ifPresent(session::setDeadIn);
    return session.build();
  }

  private static OverrideDetail override(MemberOverride override) {
    return OverrideDetail.newBuilder()
        .setActor(override.actor())
        .setReason(override.reason())
        .setSetAt(FieldChecks.wire(override.at()))
        .build();
  }

  private static ExpiryHold hold(HoldDetail detail) {
    ExpiryHold.Builder hold =
        ExpiryHold.newBuilder()
            .setHeld(detail.held())
            .setExpired(detail.expired())
            .setLimit(detail.limit());
    detail.left().map(FieldChecks::wire).ifPresent(hold::setLeft);
    return hold.build();
  }

  private static MemberEnd end(EndDetail detail) {
    return MemberEnd.newBuilder()
        .setCause(RegistryWire.CAUSES.of(detail.end().cause()))
        .setActor(detail.end().actor())
        .setReason(detail.end().reason())
        .setForgottenIn(FieldChecks.wire(detail.forgottenIn()))
        .build();
  }
}
