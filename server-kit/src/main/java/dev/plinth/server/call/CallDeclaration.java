package dev.plinth.server.call;

import com.google.protobuf.Descriptors;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.plinth.options.v1.Call;
import dev.plinth.options.v1.CallKind;
import dev.plinth.options.v1.CallOptions;
import dev.plinth.options.v1.Role;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.List;
import java.util.Optional;

/**
 * What the proto of a method declares about its calls, with the fields that it names: routing,
 * request ids, forwarding and roles are read from here, never guessed.
 */
public final class CallDeclaration {
  private static final String OWN_SERVICES = "plinth.";

  private final String method;
  private final CallOptions options;
  private final Optional<FieldDescriptor> shardKey;
  private final Optional<FieldDescriptor> requestId;
  private final Optional<FieldDescriptor> waitField;
  private final List<FieldDescriptor> notInFingerprint;

  private CallDeclaration(String method, CallOptions options, Descriptor request) {
    this.method = method;
    this.options = options;
    this.shardKey =
        switch (options.getShardCase()) {
          case NAMESPACE -> field(request, options.getNamespace());
          case DOMAIN -> field(request, options.getDomain());
          case PAGE_TOKEN -> field(request, options.getPageToken());
          case SHARD_NOT_SET -> Optional.empty();
        };
    this.requestId = field(request, options.getRequestId());
    this.waitField = field(request, options.getWait());
    this.notInFingerprint =
        options.getNotInFingerprintList().stream()
            .map(name -> field(request, name).orElseThrow())
            .toList();
    if (options.getKind() == CallKind.CALL_KIND_UNSPECIFIED
        || options.getRole() == Role.ROLE_UNSPECIFIED) {
      throw new IllegalStateException(method + " must be declared with a kind and a role");
    }
  }

  private Optional<FieldDescriptor> field(Descriptor request, String name) {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    FieldDescriptor field = request.findFieldByName(name);
    if (field == null) {
      throw new IllegalStateException(
          "%s is declared with the field %s, which %s has not"
              .formatted(method, name, request.getFullName()));
    }
    return Optional.of(field);
  }

  /**
   * @throws IllegalStateException if the method is not declared, or not as it is
   */
  public static CallDeclaration of(MethodDescriptor<?, ?> method) {
    CallOptions options =
        proto(method)
            .filter(proto -> proto.getOptions().hasExtension(Call.call))
            .map(proto -> proto.getOptions().getExtension(Call.call))
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        method.getFullMethodName()
                            + " has no option (plinth.options.v1.call) in its proto"));
    return of(method, options);
  }

  public static boolean isDeclared(MethodDescriptor<?, ?> method) {
    return proto(method).filter(proto -> proto.getOptions().hasExtension(Call.call)).isPresent();
  }

  /** For a method whose proto belongs to others, such as Envoy's. */
  public static CallDeclaration of(MethodDescriptor<?, ?> method, CallOptions options) {
    return new CallDeclaration(
        method.getFullMethodName(), options, proto(method).orElseThrow().getInputType());
  }

  /** That of the method which takes these requests; empty if their proto declares none. */
  public static Optional<CallDeclaration> ofRequest(Descriptor request) {
    return request.getFile().getServices().stream()
        .flatMap(service -> service.getMethods().stream())
        .filter(method -> method.getInputType() == request)
        .filter(method -> method.getOptions().hasExtension(Call.call))
        .map(
            method ->
                new CallDeclaration(
                    method.getFullName(), method.getOptions().getExtension(Call.call), request))
        .findFirst();
  }

  private static Optional<Descriptors.MethodDescriptor> proto(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier
        ? Optional.of(supplier.getMethodDescriptor())
        : Optional.empty();
  }

  /** Refuses a service of ours with a method that is not declared. Those of others never are. */
  public static void require(ServerServiceDefinition service) {
    if (service.getServiceDescriptor().getName().startsWith(OWN_SERVICES)) {
      service.getServiceDescriptor().getMethods().forEach(CallDeclaration::of);
    }
  }

  public CallKind kind() {
    return options.getKind();
  }

  public Role role() {
    return options.getRole();
  }

  public boolean isUrgent() {
    return options.getUrgent();
  }

  /** Whether any node answers it where all nodes share their budgets. */
  public boolean isAnyNodeIfShared() {
    return options.getAnyNodeIfShared();
  }

  /** What the value of {@link #shardKey} is. */
  public CallOptions.ShardCase shardCase() {
    return options.getShardCase();
  }

  /** Empty for a method that is answered by the node that it reaches. */
  public Optional<FieldDescriptor> shardKey() {
    return shardKey;
  }

  /** The field with the request id of a mutation. */
  public Optional<FieldDescriptor> requestIdField() {
    return requestId;
  }

  /** The field with the time that a call may wait for its answer. */
  public Optional<FieldDescriptor> waitField() {
    return waitField;
  }

  /**
   * The namespace or domain of a request, checked.
   *
   * @throws dev.plinth.server.failure.Failure.Invalid
   */
  public String namespace(Message request) {
    FieldDescriptor field = shardKey.orElseThrow();
    String value = (String) request.getField(field);
    return switch (options.getShardCase()) {
      case NAMESPACE -> FieldChecks.namespace(field.getName(), value);
      case DOMAIN -> FieldChecks.domain(field.getName(), value);
      case PAGE_TOKEN, SHARD_NOT_SET ->
          throw new IllegalStateException(method + " is declared without a namespace");
    };
  }

  /**
   * The request id, checked; empty if the request has none.
   *
   * @throws dev.plinth.server.failure.Failure.Invalid
   */
  public String requestId(Message request) {
    return requestId
        .map(field -> FieldChecks.requestId((String) request.getField(field)))
        .orElse("");
  }

  /** The part of a request that must be the same whenever it is sent under one request id. */
  public Message fingerprinted(Message request) {
    boolean whole = notInFingerprint.stream().noneMatch(field -> isSet(request, field));
    if (whole) {
      return request;
    }
    Message.Builder part = request.toBuilder();
    notInFingerprint.forEach(part::clearField);
    return part.build();
  }

  private static boolean isSet(Message request, FieldDescriptor field) {
    return field.hasPresence()
        ? request.hasField(field)
        : !request.getField(field).equals(field.getDefaultValue());
  }
}
