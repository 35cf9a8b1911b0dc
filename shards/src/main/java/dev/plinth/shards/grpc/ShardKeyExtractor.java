package dev.plinth.shards.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.Shards;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads what decides on the shard of a request: its namespace or domain, or for a list of all of
 * them the number of the shard that its page token begins with.
 */
record ShardKeyExtractor(FieldDescriptor field) {
  private static final String DOMAIN = "domain";
  private static final String PAGE_TOKEN = "page_token";
  private static final Pattern PAGE = Pattern.compile("(\\d{1,4})\\..*");

  /** Empty for a method whose requests have none: it is answered where it arrives. */
  static Optional<ShardKeyExtractor> of(MethodDescriptor<?, ?> method) {
    return method.getRequestMarshaller() instanceof PrototypeMarshaller<?> marshaller
            && marshaller.getMessagePrototype() instanceof Message prototype
        ? Stream.of("namespace", DOMAIN, PAGE_TOKEN)
            .map(prototype.getDescriptorForType()::findFieldByName)
            .filter(field -> field != null && field.getJavaType() == JavaType.STRING)
            .findFirst()
            .map(ShardKeyExtractor::new)
        : Optional.empty();
  }

  /** Empty where it is not valid, which the endpoint says best. */
  OptionalInt read(Object request, Shards shards) {
    String value = (String) ((Message) request).getField(field);
    if (field.getName().equals(PAGE_TOKEN)) {
      return page(value, shards.count());
    }
    try {
      String space =
          field.getName().equals(DOMAIN)
              ? FieldChecks.domain(DOMAIN, value)
              : FieldChecks.namespace(value);
      return OptionalInt.of(shards.shardOf(space));
    } catch (Failure.Invalid e) {
      return OptionalInt.empty();
    }
  }

  private static OptionalInt page(String token, int shards) {
    Matcher page = PAGE.matcher(token);
    int shard = page.matches() ? Integer.parseInt(page.group(1)) : 0;
    boolean known = (token.isEmpty() || page.matches()) && shard < shards;
    return known ? OptionalInt.of(shard) : OptionalInt.empty();
  }
}
