package dev.plinth.simulation.etcd;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;

/**
 * Puts the revisions and lease ids of one etcd in the place of another's, in requests and answers.
 */
final class NumberMapping {
  private static final Set<String> REVISIONS =
      Set.of(
          "revision",
          "create_revision",
          "mod_revision",
          "min_mod_revision",
          "max_mod_revision",
          "min_create_revision",
          "max_create_revision");
  private static final Set<String> LEASES = Set.of("lease", "ID");
  // Not the same in two clusters, and nothing depends on them.
  private static final Set<String> FOREIGN = Set.of("cluster_id", "member_id", "raft_term");

  private final long realAhead;
  private final Map<Long, Long> toReal = new HashMap<>();
  private final Map<Long, Long> toModel = new HashMap<>();

  NumberMapping(long realAhead) {
    this.realAhead = realAhead;
  }

  void lease(long model, long real) {
    toReal.put(model, real);
    toModel.put(real, model);
  }

  Message toReal(Message ofModel) {
    return map(
        ofModel,
        (name, number) ->
            LEASES.contains(name)
                ? toReal.getOrDefault(number, number)
                : shift(number, revision -> revision + realAhead));
  }

  Message toModel(Message ofReal) {
    return map(
        ofReal,
        (name, number) ->
            LEASES.contains(name)
                ? toModel.getOrDefault(number, number)
                : shift(number, revision -> revision - realAhead));
  }

  Message plain(Message message) {
    return map(message, (name, number) -> number);
  }

  /** 0 is no revision, but says that there is none. */
  private static long shift(long number, LongUnaryOperator by) {
    return number > 0 ? by.applyAsLong(number) : number;
  }

  private static Message map(Message message, BiFunction<String, Long, Long> number) {
    Message.Builder mapped = message.toBuilder();
    message
        .getAllFields()
        .forEach((field, value) -> mapped.setField(field, map(field, value, number)));
    FOREIGN.stream()
        .map(name -> message.getDescriptorForType().findFieldByName(name))
        .filter(field -> field != null)
        .forEach(mapped::clearField);
    return mapped.build();
  }

  private static Object map(
      FieldDescriptor field, Object value, BiFunction<String, Long, Long> number) {
    if (value instanceof List<?> values) {
      return values.stream().map(one -> map(field, one, number)).toList();
    } else if (value instanceof Message message) {
      return map(message, number);
    } else if (value instanceof Long plain
        && (REVISIONS.contains(field.getName()) || LEASES.contains(field.getName()))) {
      return number.apply(field.getName(), plain);
    }
    return value;
  }
}
