package dev.plinth.client;

import dev.plinth.registry.v1.Member;

/** A member of another session has the name, and is not silent. */
public final class MemberNameTakenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Member holder;

  /** For the client itself. */
  public MemberNameTakenException(Member holder) {
    super(
        "member %s/%s/%s is %s in session %s (expected: a name that is free)"
            .formatted(
                holder.getNamespace(),
                holder.getGroup(),
                holder.getName(),
                holder.getState(),
                holder.getSessionId()));
    this.holder = holder;
  }

  /** Who has it. */
  public Member holder() {
    return holder;
  }
}
