package dev.plinth.client.lease;

import com.google.protobuf.ByteString;
import dev.plinth.client.DeadlockException;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireSetRequest;
import java.util.Optional;

/** How keys are to be taken. The usual: exclusive, priority 0, no payload, no re-entry. */
public final class AcquireOptions {
  private static final AcquireOptions DEFAULTS =
      new AcquireOptions(LeaseSpec.exclusive(""), 0, ByteString.EMPTY, Optional.empty());

  private final LeaseSpec manner;
  private final int priority;
  private final ByteString payload;
  private final Optional<String> owner;

  private AcquireOptions(
      LeaseSpec manner, int priority, ByteString payload, Optional<String> owner) {
    this.manner = manner;
    this.priority = priority;
    this.payload = payload;
    this.owner = owner;
  }

  public static AcquireOptions defaults() {
    return DEFAULTS;
  }

  /** Beside other shared holders. */
  public AcquireOptions shared() {
    return new AcquireOptions(LeaseSpec.shared(""), priority, payload, owner);
  }

  /**
   * So many permits of a semaphore, whose capacity the namespace's policy sets. Each grant is a
   * hold of its own; there is no re-entry.
   */
  public AcquireOptions permits(int weight) {
    return new AcquireOptions(LeaseSpec.permits("", weight), priority, payload, owner);
  }

  /** Higher is served first; -100 to 100. */
  public AcquireOptions priority(int value) {
    return new AcquireOptions(manner, value, payload, owner);
  }

  /** Kept with the lease for others to read; at most 4 KiB. */
  public AcquireOptions payload(byte[] value) {
    return new AcquireOptions(manner, priority, ByteString.copyFrom(value), owner);
  }

  /**
   * Takes the key as the client itself, not as one of its handles: whoever does so again in this
   * client has it too, under the same token, and it takes as many closes. Also lets a successor
   * with the same owner id reclaim a key during its lock-delay.
   */
  public AcquireOptions reentrant() {
    return new AcquireOptions(manner, priority, payload, Optional.of(""));
  }

  /**
   * Like {@link #reentrant}, for one of several workers in this client. What a worker takes under
   * its own name the server sees as one owner's, so it finds workers that wait for each other in a
   * circle, and ends it with {@link DeadlockException}.
   */
  public AcquireOptions as(String worker) {
    return new AcquireOptions(manner, priority, payload, Optional.of("/" + worker));
  }

  /** What follows the client's own name; empty for a handle on its own. */
  Optional<String> owner() {
    return owner;
  }

  AcquireRequest.Builder request() {
    return AcquireRequest.newBuilder()
        .setMode(manner.mode())
        .setWeight(manner.weight())
        .setPriority(priority)
        .setPayload(payload);
  }

  AcquireSetRequest.Builder setRequest() {
    return AcquireSetRequest.newBuilder().setPriority(priority).setPayload(payload);
  }
}
