package dev.plinth.client.member;

import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.Member;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Members as gRPC wants them. It may ask a name server, so it blocks. */
final class MemberAddresses {
  /** The member's share of work, for load balancers that go by it. */
  static final Attributes.Key<Integer> WEIGHT = Attributes.Key.create("dev.plinth.weight");

  private static final Logger log = System.getLogger("plinth.client");

  private MemberAddresses() {}

  /** One without the endpoint, or with an address that cannot be used, is left out. */
  static List<EquivalentAddressGroup> of(List<Member> members, String endpoint) {
    List<EquivalentAddressGroup> addresses = new ArrayList<>();
    for (Member member : members) {
      Optional<InetSocketAddress> address =
          member.getEndpointsList().stream()
              .filter(each -> each.getName().equals(endpoint))
              .findFirst()
              .map(Endpoint::getAddress)
              .flatMap(MemberAddresses::parse);
      if (address.isPresent()) {
        Attributes weight = Attributes.newBuilder().set(WEIGHT, member.getWeight()).build();
        addresses.add(new EquivalentAddressGroup(address.get(), weight));
      } else {
        log.log(Level.DEBUG, "member {0} has no usable endpoint {1}", member.getName(), endpoint);
      }
    }
    return addresses;
  }

  /** Such as host:8080, 10.0.0.7:8080 or [::1]:8080. */
  static Optional<InetSocketAddress> parse(String address) {
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? "" : address.substring(0, colon);
    if (host.isEmpty() || host.contains(":") && !host.startsWith("[")) {
      return Optional.empty();
    }
    try {
      int port = Integer.parseInt(address.substring(colon + 1));
      return Optional.of(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port))
          .filter(found -> !found.isUnresolved());
    } catch (IllegalArgumentException e) { // not a port
      return Optional.empty();
    }
  }
}
