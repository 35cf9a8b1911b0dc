package dev.plinth.lease.grpc;

import com.google.protobuf.ByteString;
import dev.plinth.lease.core.HoldEndCause;
import dev.plinth.lease.core.LeaseMode;
import dev.plinth.lease.core.LeaseName;
import dev.plinth.lease.core.LeaseView;
import dev.plinth.lease.core.NamespacePolicy;
import dev.plinth.lease.core.WaitersView;
import dev.plinth.lease.v1.EndCause;
import dev.plinth.lease.v1.Lease;
import dev.plinth.lease.v1.Mode;
import dev.plinth.lease.v1.ReleaseAsk;
import dev.plinth.lease.v1.Waiter;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.WireEnum;
import dev.plinth.server.failure.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What requests have in common, checked, and the core's terms on the wire. */
final class LeaseWire {
  static final int MAX_KEY = 256;
  static final int MAX_OWNER = 128;
  private static final int MAX_PAYLOAD = 4 * 1024;

  /** Waiters on a list of them; their number is told beside them. */
  static final int MAX_WAITERS = 500;

  /** Holds on a list of those that an operator ended or asked for. */
  static final int MAX_FORCED = 100;

  static final WireEnum<LeaseMode, Mode> MODES =
      new WireEnum<>(LeaseMode.class, Mode.class, "MODE_");
  static final WireEnum<HoldEndCause, EndCause> CAUSES =
      new WireEnum<>(HoldEndCause.class, EndCause.class, "END_CAUSE_");

  private LeaseWire() {}

  static LeaseName name(String namespace, String key) {
    return new LeaseName(namespace, FieldChecks.name("key", key, MAX_KEY));
  }

  static LeaseName resource(String namespace, String resource) {
    return new LeaseName(namespace, FieldChecks.name("resource", resource, MAX_KEY));
  }

  static String session(String value) {
    return FieldChecks.name("session_id", value, MAX_OWNER);
  }

  /** What keys are to begin with; empty for all. */
  static String prefix(String value) {
    return FieldChecks.optionalName("key_prefix", value, MAX_KEY);
  }

  static byte[] payload(String field, ByteString payload) {
    if (payload.size() > MAX_PAYLOAD) {
      throw Failure.Invalid.field(
          field, payload.size() + " bytes", "at most " + MAX_PAYLOAD + " bytes");
    }
    return payload.toByteArray();
  }

  static Optional<Duration> ttl(boolean given, com.google.protobuf.Duration value) {
    NamespacePolicy.Ttls most = NamespacePolicy.PLATFORM.ttls();
    return FieldChecks.optionalDuration("ttl", given, value, most.min(), most.max());
  }

  static Optional<Duration> lockDelay(boolean given, com.google.protobuf.Duration value) {
    Duration most = NamespacePolicy.PLATFORM.lockDelays().max();
    return FieldChecks.optionalDuration("lock_delay", given, value, Duration.ZERO, most);
  }

  static long token(long value) {
    return token("token", value);
  }

  static long token(String field, long value) {
    if (value <= 0) {
      throw Failure.Invalid.field(field, value, "a token as granted, above 0");
    }
    return value;
  }

  static List<Lease> leases(List<LeaseView> views, int most) {
    return views.stream().limit(most).map(LeaseWire::lease).toList();
  }

  static List<Lease> leases(List<LeaseView> views) {
    return views.stream().map(LeaseWire::lease).toList();
  }

  static Lease lease(LeaseView view) {
    Lease.Builder lease =
        Lease.newBuilder()
            .setNamespace(view.name().namespace())
            .setKey(view.name().key())
            .setOwnerId(view.ownerId())
            .setSessionId(view.sessionId())
            .setToken(view.token())
            .setTtl(FieldChecks.wire(view.ttl()))
            .setMode(MODES.of(view.leaseMode()))
            .setWeight(view.weight())
            .setPayload(ByteString.copyFrom(view.payload()))
            .setEntries(view.entries())
            .setAcquiredAt(FieldChecks.wire(view.acquiredAt()))
            .setPayloadVersion(view.payloadVersion())
            .setConfirmed(view.confirmed())
            .setTerm(view.term());
    releaseNotice(view).ifPresent(lease::setReleaseAsk);
    return lease.build();
  }

  static Optional<ReleaseAsk> releaseNotice(LeaseView view) {
    return view.ask()
        .map(
            ask ->
                ReleaseAsk.newBuilder()
                    .setKey(view.name().key())
                    .setToken(view.token())
                    .setGrace(FieldChecks.wire(ask.left()))
                    .setActor(ask.actor())
                    .setReason(ask.reason())
                    .build());
  }

  static List<ReleaseAsk> releaseNotices(List<LeaseView> asked) {
    return asked.stream().flatMap(lease -> releaseNotice(lease).stream()).toList();
  }

  static Waiter waiter(WaitersView.InLine inLine) {
    return Waiter.newBuilder()
        .setOwnerId(inLine.spec().party().ownerId())
        .setSessionId(inLine.spec().party().sessionId())
        .setMode(MODES.of(inLine.keyRequest().leaseMode()))
        .setWeight(inLine.keyRequest().weight())
        .setPriority(inLine.spec().priority())
        .setWaited(FieldChecks.wire(inLine.waited()))
        .build();
  }
}
