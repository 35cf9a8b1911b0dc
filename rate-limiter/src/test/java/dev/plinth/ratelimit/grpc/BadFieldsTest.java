package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.ratelimit.v1.AcquireSlotRequest;
import dev.plinth.ratelimit.v1.CheckStreamRequest;
import dev.plinth.ratelimit.v1.DeletePolicyRequest;
import dev.plinth.ratelimit.v1.GetPolicyRequest;
import dev.plinth.ratelimit.v1.LeaseRule;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.testkit.call.FieldPaths;
import dev.plinth.testkit.call.GenericCaller;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;

/** What must be refused, for every call and field that there is. */
@OnEachBudgets
class BadFieldsTest {
  // A check of a stream is a check: CheckStreamTest sees that a bad one is refused by name.
  private static final GenericCaller UNSTREAMED = new GenericCaller(unstreamed());

  @Parameter LimitServer server;
  private LimitCalls calls;

  private static ServiceDescriptor unstreamed() {
    ServiceDescriptor all = RateLimitServiceGrpc.getServiceDescriptor();
    ServiceDescriptor.Builder rest = ServiceDescriptor.newBuilder(all.getName());
    for (MethodDescriptor<?, ?> method : all.getMethods()) {
      if (method.getType().clientSendsOneMessage()) {
        rest.addMethod(method);
      }
    }
    return rest.build();
  }

  @BeforeEach
  void begin() {
    calls = new LimitCalls(server);
    put();
  }

  private void put() {
    LeaseRule lease = LeaseRule.newBuilder().setServerAbovePerSecond(-1).build();
    calls.put(LimitCalls.bucket("all", 50, "user").setLease(lease), LimitCalls.slots("places", 5));
  }

  @Test
  void badField_isRefusedByName_andChangesNothing() {
    BadFields.of(calls).isRefused(UNSTREAMED, server.channel(), this::everything);
  }

  @Test
  void goodRequests_areTaken_forEveryCall() {
    for (Message request : BadFields.good(calls)) {
      if (request instanceof DeletePolicyRequest) {
        continue; // the others need the policy
      }
      if (request instanceof AcquireSlotRequest) {
        put();
      }
      LimitCalls.ANY.send(server.channel(), request).next();
    }
    Set<Descriptor> types =
        BadFields.good(calls).stream()
            .map(Message::getDescriptorForType)
            .collect(Collectors.toCollection(HashSet::new));
    types.add(CheckStreamRequest.getDescriptor());
    assertEquals(LimitCalls.ANY.requests(), types);
  }

  @Test
  void everyFieldOfEveryRequest_isInTheTable() {
    BadFields.of(calls).covers(UNSTREAMED, BadFields.CANNOT_BE_BAD);
  }

  /** In the store of budgets, and on its own in the shards. */
  @Test
  void requestId_isOfOneRequest_forEveryMutation() {
    calls.check(calls.wish("user", "ann").setRequestId("once"));
    calls
        .limits()
        .deletePolicy(
            DeletePolicyRequest.newBuilder()
                .setDomain(calls.domain + "-2")
                .setRequestId("once")
                .build());
    List<Object> before = everything();
    for (Message request : BadFields.good(calls).subList(1, BadFields.good(calls).size())) {
      boolean ofPolicies =
          request instanceof PutPolicyRequest || request instanceof DeletePolicyRequest;
      if (!ofPolicies && request.getDescriptorForType().findFieldByName("request_id") != null) {
        LimitCalls.ANY
            .send(server.channel(), FieldPaths.with(request, "request_id", "once"))
            .refusal()
            .isOfField("request_id", ErrorReason.ERROR_REASON_REQUEST_ID_REUSED);
      }
    }
    assertEquals(before, everything());
  }

  /** All that a request could have changed; a bucket fills with time. */
  private List<Object> everything() {
    return List.of(
        calls.limits().getPolicy(GetPolicyRequest.newBuilder().setDomain(calls.domain).build()),
        calls.left("all", "user", "ann"),
        calls.left("places"));
  }
}
