package dev.plinth.client.lease;

import dev.plinth.client.internal.session.ClientSession;
import dev.plinth.lease.v1.Lease;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Something that a session may be given, now or after a wait in line. */
interface Acquisition<Q, A, H> {
  MethodDescriptor<Q, A> method();

  /**
   * A request of its own, with an id of its own.
   *
   * @param wait empty to be answered at once
   */
  Q request(ClientSession session, Optional<Duration> wait);

  /** Takes the request back; its answer tells how that ended. */
  Q cancellation(Q request);

  /** What was granted, if anything was. */
  Optional<H> granted(A answer, ClientSession session);

  /** Of what was granted by this answer, all that this owner did not hold before. */
  List<Lease> fresh(A answer);

  /** For a grant that nobody is going to use. Does not block. */
  void release(H granted);

  /** For a grant to a session that was lost meanwhile, which nobody has seen yet. */
  void undo(H granted);
}
