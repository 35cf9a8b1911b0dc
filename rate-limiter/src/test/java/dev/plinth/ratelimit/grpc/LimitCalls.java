package dev.plinth.ratelimit.grpc;

import com.google.protobuf.util.Durations;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.CheckRequest;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.CheckStreamResponse;
import dev.plinth.ratelimit.v1.Decision;
import dev.plinth.ratelimit.v1.Descriptor;
import dev.plinth.ratelimit.v1.InspectRequest;
import dev.plinth.ratelimit.v1.InspectResponse;
import dev.plinth.ratelimit.v1.KeyState;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import dev.plinth.ratelimit.v1.Rule;
import dev.plinth.testkit.call.GenericCaller;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Calls of one test, in a domain of its own. */
final class LimitCalls {
  static final GenericCaller ANY = new GenericCaller(RateLimitServiceGrpc.getServiceDescriptor());

  final String domain;
  private final Supplier<Channel> channel;

  LimitCalls(LimitServer server) {
    this(server::channel);
  }

  LimitCalls(Supplier<Channel> channel) {
    this("D_1.x:y/" + UUID.randomUUID().toString().substring(0, 12), channel);
  }

  LimitCalls(String domain, Supplier<Channel> channel) {
    this.domain = domain;
    this.channel = channel;
  }

  StreamObserver<CheckStreamRequest> stream(StreamObserver<CheckStreamResponse> answers) {
    return RateLimitServiceGrpc.newStub(channel.get()).checkStream(answers);
  }

  RateLimitServiceBlockingStub limits() {
    return RateLimitServiceGrpc.newBlockingStub(channel.get());
  }

  /** So many at once, and then hardly any: one an hour. */
  static Rule.Builder bucket(String name, long burst) {
    return Rule.newBuilder()
        .setName(name)
        .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
        .setLimit(1)
        .setPeriod(Durations.fromHours(1))
        .setBurst(burst);
  }

  /** For each value of a key. */
  static Rule.Builder bucket(String name, long burst, String key) {
    Rule.Builder rule = bucket(name, burst);
    rule.addMatchBuilder().setKey(key);
    return rule;
  }

  static Rule.Builder slots(String name, long places) {
    return Rule.newBuilder()
        .setName(name)
        .setAlgorithm(Algorithm.ALGORITHM_CONCURRENCY)
        .setLimit(places);
  }

  Policy put(Rule.Builder... rules) {
    PutPolicyRequest.Builder put = PutPolicyRequest.newBuilder().setDomain(domain);
    for (Rule.Builder rule : rules) {
      put.addRules(rule);
    }
    return limits().putPolicy(put.build()).getPolicy();
  }

  /** Keys and values in turn. */
  static List<Descriptor> descriptors(String... keysAndValues) {
    List<Descriptor> descriptors = new ArrayList<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptors.add(
          Descriptor.newBuilder().setKey(keysAndValues[i]).setValue(keysAndValues[i + 1]).build());
    }
    return descriptors;
  }

  CheckRequest.Builder wish(String... keysAndValues) {
    return CheckRequest.newBuilder()
        .setDomain(domain)
        .addAllDescriptors(descriptors(keysAndValues));
  }

  Decision check(CheckRequest.Builder request) {
    return limits().check(request.build()).getDecision();
  }

  Decision check(String... keysAndValues) {
    return check(wish(keysAndValues));
  }

  /** What is left of each rule, by its name. */
  long left(String rule, String... keysAndValues) {
    return inspect(keysAndValues).getKeysList().stream()
        .map(KeyState::getStatus)
        .filter(status -> status.getRule().equals(rule))
        .findFirst()
        .orElseThrow()
        .getRemaining();
  }

  InspectResponse inspect(String... keysAndValues) {
    return limits()
        .inspect(
            InspectRequest.newBuilder()
                .setDomain(domain)
                .addAllDescriptors(descriptors(keysAndValues))
                .build());
  }
}
