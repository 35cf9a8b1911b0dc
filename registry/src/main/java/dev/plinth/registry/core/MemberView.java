package dev.plinth.registry.core;

import java.time.Instant;
import java.util.Optional;

/** A member as it was at one moment. */
public record MemberView(
    MemberName name,
    long incarnation,
    String sessionId,
    MemberAttributes attributes,
    Status status,
    long version,
    Optional<MemberOverride> override) {
  // Its fields without the texts.
  private static final int FIXED_BYTES = 300;

  /**
   * Its state.
   *
   * @param since by the wall clock
   * @param held kept from death for a while, as too many of its group would die at once
   */
  public record Status(MemberState state, Instant since, boolean held) {}

  public MemberState state() {
    return status.state();
  }

  /** Its part of a checksum: all that can change, by the numbers that the wire has. */
  long hash() {
    return SetHash.of(
        name.group(),
        name.member(),
        incarnation,
        version,
        state().ordinal() + 1,
        override.isPresent() ? 1 : 0);
  }

  /** About what it weighs in memory. */
  public int bytes() {
    int bytes = FIXED_BYTES + name.group().length() + name.member().length();
    for (var label : attributes.labels().entrySet()) {
      bytes += 64 + label.getKey().length() + label.getValue().length();
    }
    for (MemberEndpoint endpoint : attributes.endpoints()) {
      bytes += 64 + endpoint.name().length() + endpoint.address().length();
    }
    return bytes;
  }
}
