package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import dev.plinth.admin.v1.AdminServiceGrpc;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc;
import dev.plinth.config.v1.ConfigServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.options.v1.CallKind;
import dev.plinth.options.v1.CallOptions;
import dev.plinth.options.v1.Role;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PresenceServiceGrpc;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.server.Engine;
import dev.plinth.server.GrpcHost;
import dev.plinth.server.HostedService;
import dev.plinth.server.Metrics;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallDeclarationTest {
  static List<ServiceDescriptor> services() {
    return List.of(
        AdminServiceGrpc.getServiceDescriptor(),
        IdServiceGrpc.getServiceDescriptor(),
        LeaseServiceGrpc.getServiceDescriptor(),
        ElectionServiceGrpc.getServiceDescriptor(),
        RateLimitServiceGrpc.getServiceDescriptor(),
        RegistryServiceGrpc.getServiceDescriptor(),
        PartitionServiceGrpc.getServiceDescriptor(),
        PresenceServiceGrpc.getServiceDescriptor(),
        ConfigServiceGrpc.getServiceDescriptor(),
        ConfigDistributionServiceGrpc.getServiceDescriptor());
  }

  @ParameterizedTest
  @MethodSource("services")
  void everyMethod_isDeclaredAsItsMessagesAre(ServiceDescriptor service) {
    for (MethodDescriptor<?, ?> method : service.getMethods()) {
      CallDeclaration declared = CallDeclaration.of(method);
      boolean stream = method.getType() != MethodDescriptor.MethodType.UNARY;
      boolean declaredAsStream =
          declared.kind() == CallKind.CALL_KIND_STREAM
              || declared.kind() == CallKind.CALL_KIND_WATCH;
      assertEquals(stream, declaredAsStream, method.getFullMethodName());
      boolean reads = declared.kind() == CallKind.CALL_KIND_READ;
      assertTrue(reads || declared.role() != Role.ROLE_READER || stream, method::toString);
    }
  }

  @Test
  void hostWithAMethodThatIsNotDeclared_doesNotStart() {
    MethodDescriptor<?, ?> undeclared =
        EchoService.SAY.toBuilder().setFullMethodName("plinth.test.v1.Echo/Say").build();
    Metrics metrics = new Metrics();
    GrpcHost.Builder host =
        GrpcHost.builder(InProcessHost.hostSettings(), metrics).add(serving(undeclared));
    IllegalStateException refused = assertThrows(IllegalStateException.class, host::start);
    assertTrue(refused.getMessage().contains("plinth.test.v1.Echo/Say"), refused.getMessage());
    metrics.close();
  }

  private static <Q, A> HostedService serving(MethodDescriptor<Q, A> method) {
    ServerServiceDefinition service =
        ServerServiceDefinition.builder("plinth.test.v1.Echo")
            .addMethod(method, ServerCalls.asyncUnaryCall((request, to) -> {}))
            .build();
    BindableService endpoint = () -> service;
    return new HostedService() {
      @Override
      public List<BindableService> endpoints() {
        return List.of(endpoint);
      }

      @Override
      public List<Engine> engines() {
        return List.of();
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void fieldThatARequestHasNot_isRefused() {
    CallOptions options =
        CallOptions.newBuilder()
            .setKind(CallKind.CALL_KIND_READ)
            .setRole(Role.ROLE_READER)
            .setNamespace("no_such_field")
            .build();
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class,
            () -> CallDeclaration.of(LeaseServiceGrpc.getAcquireMethod(), options));
    assertTrue(refused.getMessage().contains("no_such_field"), refused.getMessage());
  }

  @Test
  void fingerprint_leavesOutWhatMayDifferWhenARequestIsSentAgain() {
    CallDeclaration acquire = CallDeclaration.of(LeaseServiceGrpc.getAcquireMethod());
    AcquireRequest plain = AcquireRequest.newBuilder().setKey("a").setRequestId("r").build();
    assertEquals(
        plain,
        acquire.fingerprinted(
            plain.toBuilder().setWait(Durations.fromSeconds(3)).setCancel(true).build()));
    assertEquals(plain, acquire.fingerprinted(plain));
    assertEquals("r", acquire.requestId(plain));
    assertEquals("default", acquire.namespace(plain));
  }
}
