package dev.plinth.client.lease;

import com.google.protobuf.ByteString;
import dev.plinth.client.DeadlockException;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.AcquireSetRequest;
import dev.plinth.lease.v1.Mode;
import java.util.Optional;

/** How keys are to be taken. The usual: exclusive, priority 0, no payload, no re-entry. */
public final class AcquireOptions {
  private static final AcquireOptions DEFAULTS =
      new AcquireOptions(
          AcquireRequest.newBuilder().setMode(Mode.MODE_EXCLUSIVE), Optional.empty());

  private final AcquireRequest request;
  private final Optional<String> owner;

  private AcquireOptions(AcquireRequest.Builder request, Optional<String> owner) {
    this.request = request.build();
    this.owner = owner;
  }

  public static AcquireOptions defaults() {
    return DEFAULTS;
  }

  /** Beside other shared holders. */
  public AcquireOptions shared() {
    return new AcquireOptions(request().setMode(Mode.MODE_SHARED).clearWeight(), owner);
  }

  /**
   * So many permits of a semaphore, whose capacity the namespace's policy sets. Each grant is a
   * hold of its own; there is no re-entry.
   */
  public AcquireOptions permits(int weight) {
    return new AcquireOptions(request().setMode(Mode.MODE_SEMAPHORE).setWeight(weight), owner);
  }

  /** Higher is served first; -100 to 100. */
  public AcquireOptions priority(int value) {
    return new AcquireOptions(request().setPriority(value), owner);
  }

  /** Kept with the lease for others to read; at most 4 KiB. */
  public AcquireOptions payload(byte[] value) {
    return new AcquireOptions(request().setPayload(ByteString.copyFrom(value)), owner);
  }

  /**
   * Takes the key as the client itself, not as one of its handles: whoever does so again in this
   * client has it too, under the same token, and it takes as many closes. Also lets a successor
   * with the same owner id reclaim a key during its lock-delay.
   */
  public AcquireOptions reentrant() {
    return new AcquireOptions(request(), Optional.of(""));
  }

  /**
   * Like {@link #reentrant}, for one of several workers in this client. What a worker takes under
   * its own name the server sees as one owner's, so it finds workers that wait for each other in a
   * circle, and ends it with {@link DeadlockException}.
   */
  public AcquireOptions as(String worker) {
    return new AcquireOptions(request(), Optional.of("/" + worker));
  }

  /** What follows the client's own name; empty for a handle on its own. */
  Optional<String> owner() {
    return owner;
  }

  AcquireRequest.Builder request() {
    return request.toBuilder();
  }

  AcquireSetRequest.Builder setRequest() {
    return AcquireSetRequest.newBuilder()
        .setPriority(request.getPriority())
        .setPayload(request.getPayload());
  }
}
