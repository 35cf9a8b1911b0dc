package dev.plinth.standalone;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Makes messages that are nearly valid, from a seed: most fields are set, most values are such as a
 * caller would send, and the rest lies at or beyond a bound. Values that the server answered come
 * back in fields of the same name, so that calls find what earlier ones made.
 */
final class RandomMessages {
  private static final int DEPTH = 4;
  private static final int MAX_LEARNED = 50;
  private static final List<String> NAMESPACES =
      List.of("", "default", "fuzz", "fuzz-2", "fuzz-3", "Bad Name", "-x", "x".repeat(64));
  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "b",
          "c",
          "job/1",
          "job/2",
          "election/x",
          "ann",
          "bob",
          " ",
          "-",
          "/",
          "*",
          "%",
          "0",
          "1",
          "-1",
          "0.a",
          "3.b",
          "99.c",
          "9999999999",
          "2.5",
          "é",
          "\u202e",
          "\u0000",
          "\n",
          "x".repeat(64),
          "x".repeat(65),
          "x".repeat(1025),
          "\ud83d\ude00",
          "{}",
          "null");
  private static final long[] NUMBERS = {
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    63,
    64,
    100,
    1000,
    1001,
    10_000,
    1_000_000,
    -1,
    -2,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    1_735_689_600_000L
  };
  private static final double[] FRACTIONS = {
    0, 1, 0.5, 10, 1e9, -1, 1e308, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE
  };
  private static final Duration[] DURATIONS = {
    duration(0, 0),
    duration(0, 1),
    duration(0, 1_000_000),
    duration(0, 30_000_000),
    duration(1, 0),
    duration(10, 0),
    duration(60, 0),
    duration(3600, 0),
    duration(86_400, 1),
    duration(-1, 0),
    duration(0, -1),
    duration(1, -1),
    duration(-1, 1),
    duration(0, 2_000_000_000),
    duration(1, Integer.MIN_VALUE),
    duration(Long.MAX_VALUE, 0),
    duration(Long.MIN_VALUE, 0),
    duration(315_576_000_001L, 0),
    duration(Long.MAX_VALUE, -5)
  };

  /** Such as wait too short to hold up the test. */
  private static final Duration[] WAITS = {
    duration(0, 0), duration(0, 1), duration(0, 1_000_000), duration(0, 20_000_000),
    duration(-1, 0), duration(1, -1), duration(-1, 1), duration(0, 2_000_000_000),
    duration(Long.MAX_VALUE, 0), duration(Long.MIN_VALUE, -1)
  };

  private final Random random;
  private final Map<String, List<Object>> learned = new HashMap<>();

  RandomMessages(long seed) {
    random = new Random(seed);
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  /** A message of the same type. */
  synchronized Message like(Message prototype) {
    return fill(prototype.newBuilderForType(), DEPTH);
  }

  private Message fill(Message.Builder message, int depth) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getRealContainingOneof() == null && chance(field.isRepeated() ? 60 : 75)) {
        set(message, field, depth);
      }
    }
    for (OneofDescriptor choice : message.getDescriptorForType().getRealOneofs()) {
      if (chance(85)) {
        set(message, choice.getFields().get(random.nextInt(choice.getFieldCount())), depth);
      }
    }
    return message.build();
  }

  private void set(Message.Builder message, FieldDescriptor field, int depth) {
    if (field.getJavaType() == JavaType.MESSAGE && depth == 0) {
      return;
    }
    if (!field.isRepeated()) {
      message.setField(field, value(message, field, depth));
      return;
    }
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      message.addRepeatedField(field, value(message, field, depth));
    }
  }

  private Object value(Message.Builder message, FieldDescriptor field, int depth) {
    List<Object> known = learned.getOrDefault(keyOf(field), List.of());
    if (!known.isEmpty() && chance(50)) {
      return known.get(random.nextInt(known.size()));
    }
    return switch (field.getJavaType()) {
      case INT -> (int) number();
      case LONG -> number();
      case FLOAT -> (float) FRACTIONS[random.nextInt(FRACTIONS.length)];
      case DOUBLE -> FRACTIONS[random.nextInt(FRACTIONS.length)];
      case BOOLEAN -> random.nextBoolean();
      case STRING -> text(field);
      case BYTE_STRING ->
          ByteString.copyFrom(new byte[new int[] {0, 3, 40, 5000}[random.nextInt(4)]]);
      case ENUM -> oneOf(field.getEnumType());
      case MESSAGE -> inner(message, field, depth);
    };
  }

  private Object inner(Message.Builder message, FieldDescriptor field, int depth) {
    if (field.getMessageType().equals(Duration.getDescriptor())) {
      Duration[] from = field.getName().contains("wait") ? WAITS : DURATIONS;
      return from[random.nextInt(from.length)];
    }
    return fill(message.newBuilderForField(field), depth - 1);
  }

  private long number() {
    // Mostly small ones, which mean something.
    return chance(50) ? random.nextInt(6) : NUMBERS[random.nextInt(NUMBERS.length)];
  }

  private String text(FieldDescriptor field) {
    boolean space = field.getName().equals("namespace") || field.getName().equals("domain");
    if (space && chance(90)) {
      return NAMESPACES.get(1 + random.nextInt(4));
    }
    List<String> from = space ? NAMESPACES : TEXTS;
    return chance(60) && !space
        ? from.get(1 + random.nextInt(8))
        : from.get(random.nextInt(from.size()));
  }

  private Object oneOf(EnumDescriptor type) {
    return chance(90)
        ? type.getValues().get(random.nextInt(type.getValues().size()))
        : type.findValueByNumberCreatingIfUnknown(99);
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** Takes texts and numbers of an answer for later requests. */
  synchronized void learn(Message answer) {
    answer
        .getAllFields()
        .forEach(
            (field, value) -> {
              List<?> values = field.isRepeated() ? (List<?>) value : List.of(value);
              values.stream().limit(3).forEach(each -> learn(field, each));
            });
  }

  private void learn(FieldDescriptor field, Object value) {
    if (value instanceof Message inner) {
      learn(inner);
    } else if (field.getJavaType() == JavaType.STRING || field.getJavaType() == JavaType.LONG) {
      List<Object> known = learned.computeIfAbsent(keyOf(field), name -> new ArrayList<>());
      if (known.size() == MAX_LEARNED) {
        Collections.swap(known, random.nextInt(MAX_LEARNED), MAX_LEARNED - 1);
        known.remove(MAX_LEARNED - 1);
      }
      known.add(value);
    }
  }

  private static String keyOf(FieldDescriptor field) {
    return field.getJavaType() + " " + field.getName();
  }
}
