package dev.plinth.client.member;

import dev.plinth.registry.v1.Endpoint;
import dev.plinth.registry.v1.RegisterRequest;
import java.time.Duration;

/**
 * What a member is to others. The usual: named like the client's owner, without labels and
 * endpoints, of weight 100, with 5 s for others to notice that it is about to leave.
 */
public final class JoinOptions {
  private static final Duration DRAIN_DELAY = Duration.ofSeconds(5);
  private static final JoinOptions DEFAULTS =
      new JoinOptions(RegisterRequest.newBuilder(), DRAIN_DELAY);

  private final RegisterRequest request;
  private final Duration drainDelay;

  private JoinOptions(RegisterRequest.Builder request, Duration drainDelay) {
    this.request = request.build();
    this.drainDelay = drainDelay;
  }

  public static JoinOptions defaults() {
    return DEFAULTS;
  }

  private JoinOptions with(RegisterRequest.Builder changed) {
    return new JoinOptions(changed, drainDelay);
  }

  /** 1 to 128 characters; stable over restarts if an operator's override is to find it. */
  public JoinOptions name(String name) {
    return with(request.toBuilder().setName(name));
  }

  /** Where something is served, such as "grpc" at "10.0.0.7:8080"; at most 16. */
  public JoinOptions endpoint(String name, String address) {
    return with(
        request.toBuilder().addEndpoints(Endpoint.newBuilder().setName(name).setAddress(address)));
  }

  /** At most 32. */
  public JoinOptions label(String key, String value) {
    return with(request.toBuilder().putLabels(key, value));
  }

  /** Its share of work against that of others, 0 to 1,000,000. */
  public JoinOptions weight(int share) {
    return with(request.toBuilder().setWeight(share));
  }

  /**
   * Takes the name also from a member of another session that beats. For a process that starts
   * again under the name it had, before the registry has noticed the end of the first.
   */
  public JoinOptions replace() {
    return with(request.toBuilder().setReplace(true));
  }

  /** How long it is DRAINING before it leaves, when it is closed. */
  public JoinOptions drainDelay(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("drainDelay: " + delay + " (expected: 0s or more)");
    }
    return new JoinOptions(request.toBuilder(), delay);
  }

  Duration drainDelay() {
    return drainDelay;
  }

  /** The registration of a member that has these options, in no session yet. */
  public RegisterRequest request(String namespace, String group, String owner) {
    RegisterRequest.Builder registration =
        request.toBuilder().setNamespace(namespace).setGroup(group);
    return request.getName().isEmpty() ? registration.setName(owner).build() : registration.build();
  }
}
