package dev.plinth.registry.core;

import dev.plinth.registry.core.MemberExplanation.EndDetail;
import dev.plinth.registry.core.MemberExplanation.HoldDetail;
import dev.plinth.registry.core.MemberExplanation.SessionDetail;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Says why a member is in its state, in words and figures. */
final class Explainer {
  private Explainer() {}

  static MemberExplanation explain(Member member, long now) {
    MemberGroup group = member.group;
    Optional<SessionDetail> session =
        Optional.ofNullable(member.session).map(known -> session(known, now));
    Optional<Duration> holdLeft =
        Optional.ofNullable(member.heldUntil).map(until -> left(until, now));
    Optional<HoldDetail> hold =
        group.held() == 0
            ? Optional.empty()
            : Optional.of(
                new HoldDetail(
                    group.held(),
                    group.budget.expired(now),
                    group.budget.limit(group.there.size(), now),
                    holdLeft));
    Optional<EndDetail> end =
        Optional.ofNullable(member.end).map(how -> new EndDetail(how, left(member.forgetAt, now)));
    return new MemberExplanation(member.view(), why(member, session, hold), session, hold, end);
  }

  private static SessionDetail session(MemberSession session, long now) {
    boolean suspect = session.isSuspect();
    long deadAt = suspect ? session.deadAt : session.lastBeat + 2 * session.ttl.toNanos();
    return new SessionDetail(
        session.key,
        session.client,
        session.ttl,
        session.heard ? Optional.of(left(now, session.lastBeat)) : Optional.empty(),
        suspect ? Optional.empty() : Optional.of(left(session.deadline(), now)),
        session.overdue ? Optional.empty() : Optional.of(left(deadAt, now)));
  }

  private static Duration left(long until, long now) {
    return Duration.ofNanos(Math.max(0, until - now)).truncatedTo(ChronoUnit.MILLIS);
  }

  private static String why(
      Member member, Optional<SessionDetail> session, Optional<HoldDetail> hold) {
    String why =
        member.end == null ? present(member, session.orElseThrow(), hold) : past(member.end);
    return member
        .group
        .namespace
        .override(member.name)
        .map(
            override ->
                why + "; " + override.actor() + " set it out of service" + given(override.reason()))
        .orElse(why);
  }

  private static String present(Member member, SessionDetail session, Optional<HoldDetail> hold) {
    String heard =
        session
            .silentFor()
            .map(silent -> "its session " + session.key().id() + " was heard of " + ago(silent))
            .orElse(
                "the shard has a new owner, which has not heard of session "
                    + session.key().id()
                    + " yet");
    String ttl = " (ttl " + text(session.ttl()) + ")";
    String state = member.state().name();
    if (member.heldUntil != null) {
      HoldDetail detail = hold.orElseThrow();
      return "%s and held back: %s%s, but %d of its group expired lately and %d may; in %s at most it is DEAD"
          .formatted(
              state,
              heard,
              ttl,
              detail.expired(),
              detail.limit(),
              text(detail.left().orElseThrow()));
    }
    String next =
        session
            .suspectIn()
            .map(left -> "; without a beat it is SUSPECT in " + text(left))
            .orElseGet(
                () ->
                    "; without a beat it is DEAD in "
                        + text(session.deadIn().orElse(Duration.ZERO)));
    String asked = member.draining ? " and it asked for no more work" : "";
    return state + ": " + heard + ttl + asked + next;
  }

  private static String past(MemberEnd end) {
    String how =
        switch (end.cause()) {
          case EXPIRED -> "its session was silent for two ttls";
          case HOLD_OVER ->
              "its session was silent, and it was held back for as long as a mass expiry may be";
          case HOLD_RELEASED -> "its session was silent, and an operator released the hold";
          case DEREGISTERED -> "it was deregistered by its session";
          case SESSION_CLOSED -> "its session was closed";
          case FORCED -> end.actor() + " deregistered it" + given(end.reason());
        };
    return end.state() + ": " + how;
  }

  private static String given(String reason) {
    return reason.isEmpty() ? "" : " (" + reason + ")";
  }

  private static String ago(Duration silent) {
    return text(silent) + " ago";
  }

  /** To a tenth of a second, for people. */
  private static String text(Duration duration) {
    long tenths = (duration.toMillis() + 50) / 100;
    return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + "s";
  }
}
