package dev.plinth.client.election;

import com.google.protobuf.ByteString;
import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.LocalLease;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.lease.LeaseLostException;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.ProclaimRequest;
import dev.plinth.lease.v1.ProclaimResponse;
import dev.plinth.lease.v1.ReleaseAsk;
import dev.plinth.lease.v1.TransferLeadershipRequest;
import dev.plinth.lease.v1.TransferLeadershipResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The lead in an election, for one term. Like any lease it is LOST here before the server can elect
 * another; then, or when it is given up, the term is over for good: to lead again, stand again.
 */
public final class Leadership implements AutoCloseable {
  private final String election;
  private final long term;
  private final LeaseHandle lease;
  private final LocalLease hold;
  private final ClientRuntime runtime;

  Leadership(String election, long term, LocalLease hold, ClientRuntime runtime) {
    this.election = election;
    this.term = term;
    this.lease = new LeaseHandle(hold);
    this.hold = hold;
    this.runtime = runtime;
  }

  /** Counts the leaders of this election one by one; for people. */
  public long term() {
    return term;
  }

  /** Fences writes: higher than that of every leader before; for machines. */
  public long token() {
    return lease.token();
  }

  public LeaseState state() {
    return lease.state();
  }

  /** Time until it is LOST if no renewal succeeds; zero if it is, or was given up. */
  public Duration remaining() {
    return lease.remaining();
  }

  /** Leadership as the lease that it is, for guards that take one. */
  public LeaseHandle lease() {
    return lease;
  }

  /**
   * The token, for the write that follows.
   *
   * @throws LeaseLostException if it does not lead any more
   */
  public long requireLeading() {
    return lease.requireHeld();
  }

  /** Each time leadership gets into jeopardy; at once if it is. */
  public void onJeopardy(Runnable task) {
    lease.onJeopardy(task);
  }

  /** Once, when it leads no more against its will; at once if so. */
  public void onDeposed(Runnable task) {
    lease.onLost(task);
  }

  /** Once, when an operator wants it to resign; see {@link LeaseHandle#onReleaseAsked}. */
  public void onReleaseAsked(Consumer<ReleaseAsk> task) {
    lease.onReleaseAsked(task);
  }

  /**
   * Replaces the value that others read.
   *
   * @throws LeaseLostException if it does not lead any more
   */
  public void proclaim(String value) throws InterruptedException {
    ProclaimRequest request =
        ProclaimRequest.newBuilder()
            .setNamespace(lease.namespace())
            .setElection(election)
            .setToken(requireLeading())
            .setValue(ByteString.copyFrom(value, StandardCharsets.UTF_8))
            .setRequestId(runtime.newRequestId())
            .build();
    ProclaimResponse answer =
        runtime
            .blockingCaller()
            .call(ElectionServiceGrpc.getProclaimMethod(), request, runtime.deadline());
    if (answer.getOutcome() == ProclaimResponse.Outcome.OUTCOME_NOT_LEADER) {
      hold.markLost();
      requireLeading();
    }
  }

  /**
   * Hands leadership to a candidate in the queue, wherever in it. It does not lead from the moment
   * this is called, unless it returns false, or throws because the server refused.
   *
   * @return false if the candidate does not stand in the queue; then nothing has changed
   * @throws LeaseLostException if it does not lead any more
   * @throws CallFailedException if there was no answer; it leads no more then, and resigns in the
   *     background
   */
  public boolean transferTo(String candidate) throws InterruptedException {
    TransferLeadershipRequest request =
        TransferLeadershipRequest.newBuilder()
            .setNamespace(lease.namespace())
            .setElection(election)
            .setToken(requireLeading())
            .setToCandidateId(candidate)
            .setRequestId(runtime.newRequestId())
            .build();
    hold.beginTransfer();
    boolean settled = false;
    try {
      TransferLeadershipResponse answer =
          runtime
              .blockingCaller()
              .call(ElectionServiceGrpc.getTransferLeadershipMethod(), request, runtime.deadline());
      settled = true;
      return transferred(answer.getOutcome());
    } catch (CallFailedException e) {
      settled = !e.mayHaveApplied();
      if (settled) {
        hold.cancelTransfer();
      }
      throw e;
    } finally {
      if (!settled) {
        hold.closeLater();
      }
    }
  }

  private boolean transferred(TransferLeadershipResponse.Outcome outcome) {
    switch (outcome) {
      case OUTCOME_TRANSFERRED -> {
        hold.release();
        return true;
      }
      case OUTCOME_NOT_LEADER -> {
        hold.markLost();
        hold.cancelTransfer();
        requireLeading();
      }
      default -> hold.cancelTransfer();
    }
    return false;
  }

  /** Gives leadership up; the next in the queue has it at once. */
  public void resign() {
    lease.close();
  }

  /** The same as {@link #resign}. */
  @Override
  public void close() {
    resign();
  }

  @Override
  public String toString() {
    return election + " in term " + term + " with token " + token() + ", " + state();
  }
}
