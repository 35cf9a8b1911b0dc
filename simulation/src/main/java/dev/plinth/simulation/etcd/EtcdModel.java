package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;
import io.etcd.jetcd.api.AlarmMember;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.CompactionResponse;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.DefragmentResponse;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.DeleteRangeResponse;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.StatusRuntimeException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * One etcd 3.4 cluster, asked one request at a time: its data, its refusals, its leases on a clock
 * that is given. A refusal is a {@link StatusRuntimeException} with etcd's code and words. What
 * etcd may do or not (revoke a lease late, answer a serializable read from the past) is drawn from
 * the random generator, so the same requests at the same times have the same answers. For one
 * thread.
 */
public final class EtcdModel {
  private static final long CLUSTER_ID = 0x5157;
  private static final long MEMBER_ID = 0x1;
  private static final String VERSION = "3.4.23";

  private final EtcdModelSettings settings;
  private final RandomGenerator random;
  private final LeaseExpiry expiry;
  private EtcdState state = new EtcdState();
  private long term = 2;
  private long logged = 4;

  /**
   * @param nanos the clock of the cluster, monotonic
   */
  public EtcdModel(EtcdModelSettings settings, LongSupplier nanos, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
    this.expiry = new LeaseExpiry(settings, nanos, random);
  }

  public RangeResponse range(RangeRequest request) {
    receive(request);
    RequestCheck.key(request.getKey());
    long now = request.getSerializable() ? staleRevision() : state.revision();
    RangeResponse answer = RangeReader.read(state, request, now);
    return answer.toBuilder().setHeader(header(now)).build();
  }

  public PutResponse put(PutRequest request) {
    receive(request);
    PutResponse answer =
        spend(
            SpaceQuota.cost(request),
            () -> RequestCheck.put(request),
            () -> {
              log(request);
              return new TxnRun(state, state.revision()).put(request);
            });
    return answer.toBuilder().setHeader(header(answer.getHeader().getRevision())).build();
  }

  public DeleteRangeResponse deleteRange(DeleteRangeRequest request) {
    receive(request);
    RequestCheck.key(request.getKey());
    log(request);
    DeleteRangeResponse answer = new TxnRun(state, state.revision()).delete(request);
    return answer.toBuilder().setHeader(header(answer.getHeader().getRevision())).build();
  }

  public TxnResponse txn(TxnRequest request) {
    receive(request);
    return spend(
        SpaceQuota.cost(request),
        () -> RequestCheck.txn(request),
        () -> {
          boolean stale = RequestCheck.isSerializable(request);
          TxnRun run = new TxnRun(state, stale ? staleRevision() : state.revision());
          if (!RequestCheck.isReadOnly(request)) {
            log(request);
          }
          TxnResponse answer = run.run(request);
          return answer.toBuilder().setHeader(header(run.revision())).build();
        });
  }

  public CompactionResponse compact(CompactionRequest request) {
    receive(request);
    log(request);
    state.compact(request.getRevision());
    return CompactionResponse.newBuilder().setHeader(header(state.revision())).build();
  }

  public LeaseGrantResponse leaseGrant(LeaseGrantRequest request) {
    receive(request);
    return spend(
        SpaceQuota.LEASE_COST,
        () -> {},
        () -> {
          log(request);
          LeaseTable.Entry lease = expiry.grant(state, request.getID(), request.getTTL());
          return LeaseGrantResponse.newBuilder()
              .setHeader(header(state.revision()))
              .setID(lease.id())
              .setTTL(lease.ttlSeconds())
              .build();
        });
  }

  public LeaseRevokeResponse leaseRevoke(LeaseRevokeRequest request) {
    receive(request);
    log(request);
    state.revoke(state.leases().find(request.getID()).orElseThrow(EtcdErrors::leaseNotFound));
    return LeaseRevokeResponse.newBuilder().setHeader(header(state.revision())).build();
  }

  /** The TTL in the answer is 0 where the lease is gone. */
  public LeaseKeepAliveResponse leaseKeepAlive(LeaseKeepAliveRequest request) {
    receive(request);
    ResponseHeader before = header(state.revision());
    return LeaseKeepAliveResponse.newBuilder()
        .setHeader(before)
        .setID(request.getID())
        .setTTL(expiry.renew(state, request.getID()))
        .build();
  }

  /** Lists, raises or disarms alarms. Only NOSPACE has an effect here. */
  public AlarmResponse alarm(AlarmRequest request) {
    receive(request);
    boolean before = state.spaceAlarm();
    boolean concerned =
        request.getAlarm() == AlarmType.NOSPACE
            || request.getAlarm() == AlarmType.NONE
                && request.getAction() == AlarmRequest.AlarmAction.GET;
    AlarmResponse.Builder answer = AlarmResponse.newBuilder().setHeader(header(state.revision()));
    if (concerned) {
      if (request.getAction() != AlarmRequest.AlarmAction.GET) {
        state.setSpaceAlarm(request.getAction() == AlarmRequest.AlarmAction.ACTIVATE);
      }
      if (before || state.spaceAlarm()) {
        answer.addAlarms(
            AlarmMember.newBuilder().setMemberID(MEMBER_ID).setAlarm(AlarmType.NOSPACE));
      }
    }
    return answer.build();
  }

  public StatusResponse status(StatusRequest request) {
    receive(request);
    StatusResponse.Builder answer =
        StatusResponse.newBuilder()
            .setHeader(header(state.revision()))
            .setVersion(VERSION)
            .setDbSize(state.fileBytes())
            .setDbSizeInUse(state.bytesInUse())
            .setLeader(MEMBER_ID)
            .setRaftIndex(logged)
            .setRaftAppliedIndex(logged)
            .setRaftTerm(term);
    if (state.spaceAlarm()) {
      answer.addErrors("memberID:" + MEMBER_ID + " alarm:NOSPACE ");
    }
    return answer.build();
  }

  public DefragmentResponse defragment(DefragmentRequest request) {
    receive(request);
    state.defragment();
    return DefragmentResponse.newBuilder().setHeader(header(state.revision())).build();
  }

  /** A backup as of now. */
  public EtcdSnapshot snapshot() {
    expiry.revokeDue(state);
    return new EtcdSnapshot(state);
  }

  /** Puts the cluster back to a backup. Every lease in it begins anew. */
  public void restore(EtcdSnapshot snapshot) {
    state = snapshot.state();
    electLeader();
  }

  /** From here on no lease is revoked; the caller keeps requests away until there is a leader. */
  public void loseLeader() {
    expiry.revokeDue(state);
    expiry.loseLeader();
  }

  public void electLeader() {
    term++;
    expiry.electLeader(state);
  }

  /** Raises or disarms the alarm, whatever the size of the file. */
  public void setNoSpace(boolean raised) {
    state.setSpaceAlarm(raised);
  }

  public boolean hasNoSpace() {
    return state.spaceAlarm();
  }

  /** The current revision, for checkers. */
  public long revision() {
    expiry.revokeDue(state);
    return state.revision();
  }

  private void receive(MessageLite request) {
    expiry.revokeDue(state);
    RequestCheck.message(request);
  }

  private void log(MessageLite request) {
    RequestCheck.logged(request);
    logged++;
  }

  /**
   * Applies what has a cost in space. etcd weighs it twice: when it is received, before it is
   * looked at, and when it is applied; what is found too much only then is applied all the same.
   */
  private <T> T spend(long cost, Runnable check, Supplier<T> apply) {
    boolean crosses = cost > 0 && state.fileBytes() + cost >= settings.quotaBytes();
    boolean late =
        crosses && !state.spaceAlarm() && random.nextDouble() < settings.appliedOverQuota();
    if (crosses && !late) {
      state.setSpaceAlarm(true);
      throw EtcdErrors.noSpace();
    }
    check.run();
    if (state.spaceAlarm() && cost > 0) {
      throw EtcdErrors.noSpace();
    }
    T answer = apply.get();
    if (crosses) {
      state.setSpaceAlarm(true);
      throw EtcdErrors.noSpace();
    }
    return answer;
  }

  private long staleRevision() {
    long behind = random.nextLong(settings.staleRevisions() + 1L);
    return Math.max(Math.max(1, state.compacted()), state.revision() - behind);
  }

  private ResponseHeader header(long revision) {
    return ResponseHeader.newBuilder()
        .setClusterId(CLUSTER_ID)
        .setMemberId(MEMBER_ID)
        .setRevision(revision)
        .setRaftTerm(term)
        .build();
  }
}
