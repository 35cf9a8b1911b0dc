package dev.plinth.client.member;

import dev.plinth.client.MembershipState;

/**
 * This process may not be a member any more: by its own monotonic clock, by the server's word, or
 * because it left.
 */
public final class MembershipLostException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MembershipLostException(String member, MembershipState state) {
    super("member " + member + " is " + state + " (expected: JOINED)");
  }
}
