package dev.plinth.id.grpc;

import dev.plinth.id.core.NamespaceDefinition;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.v1.AdvanceSequenceRequest;
import dev.plinth.id.v1.AdvanceSequenceResponse;
import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.GetNamespaceResponse;
import dev.plinth.id.v1.ParseRequest;
import dev.plinth.id.v1.ParseResponse;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.id.v1.PutNamespaceResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.StateFunction;
import java.util.Optional;

/** Commands that define namespaces and read them. */
final class NamespaceCalls {
  private NamespaceCalls() {}

  static StateFunction<Namespaces, ParseResponse> parse(String namespace, ParseRequest request) {
    long id = IdTextParser.parse(request.getId(), request.getForm());
    return (ids, tx) -> IdWire.response(ids.parse(namespace, id));
  }

  static StateFunction<Namespaces, PutNamespaceResponse> put(
      String namespace, PutNamespaceRequest request) {
    if (!request.hasDefinition()) {
      throw Failure.Invalid.field("definition", "none", "a definition with a format");
    }
    NamespaceDefinition definition = DefinitionWire.definition(request.getDefinition());
    Optional<Long> expected =
        FieldChecks.expectedVersion(request.hasExpectedVersion(), request.getExpectedVersion());
    return (ids, tx) ->
        PutNamespaceResponse.newBuilder()
            .setStatus(IdWire.status(ids.put(namespace, definition, expected, tx)))
            .build();
  }

  static StateFunction<Namespaces, GetNamespaceResponse> get(
      String namespace, GetNamespaceRequest request) {
    return (ids, tx) ->
        GetNamespaceResponse.newBuilder()
            .setStatus(IdWire.status(ids.status(namespace, tx)))
            .build();
  }

  static StateFunction<Namespaces, AdvanceSequenceResponse> advance(
      String namespace, AdvanceSequenceRequest request) {
    long target = FieldChecks.between("to", request.getTo(), 0, Long.MAX_VALUE);
    return (ids, tx) ->
        AdvanceSequenceResponse.newBuilder()
            .setStatus(IdWire.status(ids.advance(namespace, target, tx)))
            .build();
  }
}
