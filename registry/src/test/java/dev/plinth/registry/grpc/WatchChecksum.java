package dev.plinth.registry.grpc;

import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.Presence;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Checksums of watches as a client of any language computes them from the proto's comments. */
final class WatchChecksum {
  private WatchChecksum() {}

  static long ofMembers(Collection<Member> members) {
    return members.stream()
        .mapToLong(
            member ->
                hash(
                    "%s\n%s\n%d\n%d\n%d\n%d"
                        .formatted(
                            member.getGroup(),
                            member.getName(),
                            member.getIncarnation(),
                            member.getVersion(),
                            member.getStateValue(),
                            member.getOverrideValue())))
        .sum();
  }

  static long ofPresences(Collection<Presence> presences) {
    return presences.stream()
        .mapToLong(
            device ->
                hash(
                    "%s\n%s\n%s\n%d"
                        .formatted(
                            device.getKey(),
                            device.getSessionId(),
                            device.getDevice(),
                            device.getVersion())))
        .sum();
  }

  private static long hash(String text) {
    long h = 0xcbf29ce484222325L;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      h ^= b & 0xff;
      h *= 0x100000001b3L;
    }
    h ^= h >>> 30;
    h *= 0xbf58476d1ce4e5b9L;
    h ^= h >>> 27;
    h *= 0x94d049bb133111ebL;
    return h ^ h >>> 31;
  }
}
