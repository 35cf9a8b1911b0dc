package dev.plinth.registry.core;

import java.time.Duration;
import java.util.Optional;

/**
 * Why a member is in its state.
 *
 * @param session empty if it has ended
 * @param hold of its group; empty if nothing of it is held back
 * @param end empty if it is there
 */
public record MemberExplanation(
    MemberView member,
    String why,
    Optional<SessionDetail> session,
    Optional<HoldDetail> hold,
    Optional<EndDetail> end) {

  /**
   * What its session lives by.
   *
   * @param silentFor empty if this owner of the shard has heard no beat
   * @param suspectIn empty if it is
   * @param deadIn empty if its members are, or are held back
   */
  public record SessionDetail(
      SessionKey key,
      String client,
      Duration ttl,
      Optional<Duration> silentFor,
      Optional<Duration> suspectIn,
      Optional<Duration> deadIn) {}

  /**
   * What its group's expiry waits for.
   *
   * @param left for this member; empty if it is not held back
   */
  public record HoldDetail(int held, int expired, int limit, Optional<Duration> left) {}

  /** How it ended. */
  public record EndDetail(MemberEnd end, Duration forgottenIn) {}
}
