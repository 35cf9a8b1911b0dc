package dev.plinth.ratelimit.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.TextFormat;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.protobuf.util.Values;
import dev.plinth.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitRequest;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import dev.plinth.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import dev.plinth.ratelimit.policy.Rule;
import dev.plinth.server.failure.Failure;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the next filter of a proxy may read of an answer: the request, and the metadata of the rules
 * that are not over. By it a proxy chooses among services with a quota.
 */
final class EnvoyMetadata {
  private static final int MAX = 4096;

  private EnvoyMetadata() {}

  /** A rule's, as it is kept. */
  static String text(String field, Struct metadata) {
    try {
      String text = JsonFormat.printer().omittingInsignificantWhitespace().print(metadata);
      if (text.length() > MAX) {
        throw Failure.Invalid.field(
            field, text.length() + " characters", "at most " + MAX + " as JSON");
      }
      read(text); // before it is kept for good
      return metadata.getFieldsCount() == 0 ? "" : text;
    } catch (InvalidProtocolBufferException | IllegalArgumentException | IllegalStateException e) {
      throw Failure.Invalid.field(field, "no JSON", "values, each set");
    }
  }

  static Struct read(String text) {
    Struct.Builder metadata = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(text, metadata);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("metadata of a rule is no JSON: " + text, e);
    }
    return metadata.build();
  }

  static Struct of(
      RateLimitRequest request, List<DescriptorStatus> statuses, List<Optional<Rule>> rules) {
    Struct.Builder all = Struct.newBuilder().putFields("domain", Values.of(request.getDomain()));
    ListValue.Builder descriptors = ListValue.newBuilder();
    request.getDescriptorsList().forEach(each -> descriptors.addValues(descriptor(each)));
    all.putFields("descriptors", Value.newBuilder().setListValue(descriptors).build());
    if (request.getHitsAddend() != 0) {
      double hits = Integer.toUnsignedLong(request.getHitsAddend());
      all.putFields("hitsAddend", Values.of(hits));
    }
    Struct.Builder metadata = Struct.newBuilder();
    for (int i = 0; i < rules.size(); i++) {
      boolean isOk = statuses.get(i).getCode() == Code.OK;
      rules
          .get(i)
          .flatMap(Rule::envoy)
          .map(Rule.Envoy::metadata)
          .filter(text -> isOk && !text.isEmpty())
          .ifPresent(text -> merge(metadata, read(text)));
    }
    if (metadata.getFieldsCount() > 0) {
      all.putFields("metadata", Values.of(metadata.build()));
    }
    return all.build();
  }

  private static Value descriptor(RateLimitDescriptor descriptor) {
    Struct.Builder fields = Struct.newBuilder();
    ListValue.Builder entries = ListValue.newBuilder();
    descriptor
        .getEntriesList()
        .forEach(entry -> entries.addValues(Values.of(entry.getKey() + "=" + entry.getValue())));
    fields.putFields("entries", Value.newBuilder().setListValue(entries).build());
    if (descriptor.hasLimit()) {
      String limit =
          TextFormat.printer().emittingSingleLine(true).printToString(descriptor.getLimit());
      fields.putFields("limit", Values.of(limit.trim()));
    }
    if (descriptor.hasHitsAddend()) {
      double hits = descriptor.getHitsAddend().getValue();
      fields.putFields("hitsAddend", Values.of(hits));
    }
    return Values.of(fields.build());
  }

  /** The first of two descriptors that have the same field keeps it. */
  private static void merge(Struct.Builder into, Struct from) {
    for (Map.Entry<String, Value> field : from.getFieldsMap().entrySet()) {
      Value known = into.getFieldsMap().get(field.getKey());
      if (known == null) {
        into.putFields(field.getKey(), field.getValue());
      } else if (known.hasStructValue() && field.getValue().hasStructValue()) {
        Struct.Builder both = known.getStructValue().toBuilder();
        merge(both, field.getValue().getStructValue());
        into.putFields(field.getKey(), Values.of(both.build()));
      }
    }
  }
}
