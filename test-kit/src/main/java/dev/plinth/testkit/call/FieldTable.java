package dev.plinth.testkit.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.options.v1.CallKind;
import dev.plinth.options.v1.CallOptions.ShardCase;
import dev.plinth.server.call.CallDeclaration;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Every field of every request of a service, with values that it must not have. */
public final class FieldTable {
  /** A duration that is none: its parts have different signs. */
  public static final Duration NO_DURATION =
      Duration.newBuilder().setSeconds(1).setNanos(-1).build();

  private final List<BadField> rows = new ArrayList<>();

  /** A row for each value; the request is fine without it. */
  public void rows(Message request, String path, Object... values) {
    for (Object value : values) {
      rows.add(new BadField(request, path, value));
    }
  }

  /** What no request may have in the fields that its method declares. */
  public void inCommon(Message request) {
    CallDeclaration.ofRequest(request.getDescriptorForType())
        .ifPresent(declared -> declaredFields(request, declared));
  }

  private void declaredFields(Message request, CallDeclaration declared) {
    declared
        .shardKey()
        .ifPresent(field -> rows(request, field.getName(), notThe(declared.shardCase())));
    declared.requestIdField().ifPresent(field -> rows(request, field.getName(), texts(64)));
    declared.waitField().ifPresent(field -> rows(request, field.getName(), NO_DURATION));
    if (declared.kind() == CallKind.CALL_KIND_WATCH) {
      rows(request, "resume_token", "x", "w1.99.1", "w1.0.-1", "w".repeat(1000), "w\n");
    }
  }

  private static Object[] notThe(ShardCase shardCase) {
    return switch (shardCase) {
      case NAMESPACE -> new Object[] {"No Spaces", "-a", "x".repeat(64), "a/b"};
      case DOMAIN -> new Object[] {"No Spaces", "-a", "x".repeat(129)};
      case PAGE_TOKEN -> new Object[] {"x", "9999.", "0.a\nb"};
      case SHARD_NOT_SET -> new Object[0];
    };
  }

  /** What no name may be. */
  public static Object[] names(int most) {
    return new Object[] {"", "x".repeat(most + 1), "a\nb"};
  }

  /** What no text may be that is not needed. */
  public static Object[] texts(int most) {
    return new Object[] {"x".repeat(most + 1), "a\nb"};
  }

  /**
   * Sends every row: each is refused by the name of its field, and all together change nothing.
   *
   * @param everything reads all that a request could have changed
   */
  public void isRefused(GenericCaller calls, Channel channel, Supplier<?> everything) {
    Object before = everything.get();
    List<String> taken = new ArrayList<>();
    for (BadField bad : rows) {
      try {
        calls
            .send(channel, bad.request())
            .refusal()
            .isOfField(bad.path(), ErrorReason.ERROR_REASON_FIELD_INVALID);
      } catch (AssertionError e) {
        taken.add(bad + ": " + e.getMessage());
      }
    }
    assertEquals(List.of(), taken);
    assertEquals(before, everything.get());
  }

  /**
   * Fails for a field that no row is about, so that a new one cannot be forgotten.
   *
   * @param cannotBeBad fields that are fine whatever they say, each with the reason
   */
  public void covers(GenericCaller calls, Map<String, String> cannotBeBad) {
    Set<String> known = new TreeSet<>(cannotBeBad.keySet());
    for (BadField bad : rows) {
      assertFalse(cannotBeBad.containsKey(bad.name()), bad.name() + " can be bad after all");
      known.add(bad.name());
    }
    Set<String> all = new TreeSet<>();
    for (Descriptor request : calls.requests()) {
      FieldPaths.in(request).forEach(path -> all.add(request.getName() + "." + path));
    }
    assertEquals(all, known);
  }
}
