package dev.plinth.registry.grpc;

import dev.plinth.registry.core.DeviceName;
import dev.plinth.registry.core.DevicePosition;
import dev.plinth.registry.core.Members;
import dev.plinth.registry.core.PresenceNews;
import dev.plinth.registry.core.PresencePage;
import dev.plinth.registry.core.SessionKey;
import dev.plinth.registry.core.TrackResult;
import dev.plinth.registry.core.UntrackResult;
import dev.plinth.registry.v1.CountPresenceRequest;
import dev.plinth.registry.v1.CountPresenceResponse;
import dev.plinth.registry.v1.ListPresenceRequest;
import dev.plinth.registry.v1.ListPresenceResponse;
import dev.plinth.registry.v1.TrackRequest;
import dev.plinth.registry.v1.TrackResponse;
import dev.plinth.registry.v1.UntrackRequest;
import dev.plinth.registry.v1.UntrackResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.shards.StateFunction;
import dev.plinth.shards.grpc.PageTokenFormat;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** The calls that track devices in rooms, and look at them for a moment. */
final class PresenceCalls {
  private static final WireEnum<TrackResult.Outcome, TrackResponse.Outcome> TRACKED =
      new WireEnum<>(TrackResult.Outcome.class, TrackResponse.Outcome.class, "OUTCOME_");
  private static final WireEnum<UntrackResult, UntrackResponse.Outcome> UNTRACKED =
      new WireEnum<>(UntrackResult.class, UntrackResponse.Outcome.class, "OUTCOME_");

  private static final int MAX_TOKEN = 1500;

  // The format's number, then the last device as text without line ends, which separate its parts.
  private static final PageTokenFormat PAGES =
      new PageTokenFormat("p", "1", "[A-Za-z0-9_-]+", MAX_TOKEN);

  private PresenceCalls() {}

  static StateFunction<Members, TrackResponse> track(String namespace, TrackRequest request) {
    SessionKey session =
        session(namespace, request.getSessionId(), request.getSessionIncarnation());
    long epoch = PresenceWire.epoch(request.getPresenceEpoch());
    DeviceName name = PresenceWire.device(request.getRoom(), request.getKey(), request.getDevice());
    Map<String, String> meta = PresenceWire.meta(request.getMetaMap());
    long seq = PresenceWire.seq(request.getSeq());
    return (members, tx) -> {
      TrackResult result = members.presences().track(session, name, meta, epoch, seq, tx);
      TrackResponse.Builder response =
          TrackResponse.newBuilder()
              .setOutcome(TRACKED.of(result.outcome()))
              .setPresenceEpoch(members.presences().epoch());
      result.device().map(PresenceWire::presence).ifPresent(response::setPresence);
      return response.build();
    };
  }

  private static SessionKey session(String namespace, String id, long incarnation) {
    return RegistryWire.session(namespace, id, "session_incarnation", incarnation);
  }

  static StateFunction<Members, UntrackResponse> untrack(String namespace, UntrackRequest request) {
    SessionKey session =
        session(namespace, request.getSessionId(), request.getSessionIncarnation());
    DeviceName name = PresenceWire.device(request.getRoom(), request.getKey(), request.getDevice());
    long seq = PresenceWire.seq(request.getSeq());
    return (members, tx) ->
        UntrackResponse.newBuilder()
            .setOutcome(UNTRACKED.of(members.presences().untrack(session, name, seq, tx)))
            .build();
  }

  static StateFunction<Members, ListPresenceResponse> list(
      String namespace, ListPresenceRequest request) {
    PresencePage.Request asked =
        new PresencePage.Request(
            namespace,
            PresenceWire.room(request.getRoom()),
            FieldChecks.optionalName("key", request.getKey(), RegistryWire.MAX_NAME),
            PAGES.parse(
                request.getPageToken(), DevicePosition.START, (one, rest) -> position(rest)),
            FieldChecks.pageSize(request.getPageSize()));
    return (members, tx) -> {
      PresencePage page = members.presences().list(asked, tx);
      ListPresenceResponse.Builder response =
          ListPresenceResponse.newBuilder()
              .addAllPresences(page.devices().stream().map(PresenceWire::presence).toList());
      page.next().ifPresent(last -> response.setNextPageToken(PAGES.text(1, text(last))));
      page.incompleteFor().map(FieldChecks::wire).ifPresent(response::setIncompleteFor);
      return response.build();
    };
  }

  private static String text(DevicePosition at) {
    String text = at.key() + "\n" + at.sessionId() + "\n" + at.device();
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Throws as a bad number does: the token is none of ours. */
  private static DevicePosition position(String text) {
    try {
      String[] parts =
          new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split("\n", -1);
      if (parts.length == 3) {
        return new DevicePosition(parts[0], parts[1], parts[2]);
      }
    } catch (IllegalArgumentException e) {
      // No Base64.
    }
    throw new NumberFormatException(text);
  }

  static StateFunction<Members, CountPresenceResponse> count(
      String namespace, CountPresenceRequest request) {
    String room = PresenceWire.room(request.getRoom());
    return (members, tx) -> {
      PresenceNews.Count count = members.presences().count(namespace, room, tx);
      CountPresenceResponse.Builder response =
          CountPresenceResponse.newBuilder().setCount(PresenceWire.count(count));
      count.incompleteFor().map(FieldChecks::wire).ifPresent(response::setIncompleteFor);
      return response.build();
    };
  }
}
