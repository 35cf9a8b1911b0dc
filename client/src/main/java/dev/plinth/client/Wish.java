package dev.plinth.client;

import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Optional;

/** Something that a session may be given, now or after a wait in line. */
interface Wish<Q, A, H> {
  MethodDescriptor<Q, A> method();

  /**
   * A request of its own, with an id of its own.
   *
   * @param wait empty to be answered at once
   */
  Q request(Session session, Optional<Duration> wait);

  /** What was granted, if anything was. */
  Optional<H> granted(A answer, Session session);

  /** For a grant that nobody is going to use. Does not block. */
  void giveBack(H granted);

  /** For a grant to a session that was lost meanwhile, which nobody has seen yet. */
  void undo(H granted);
}
