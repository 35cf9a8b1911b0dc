package dev.plinth.testkit.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fields of messages by the paths that refusals name them with: {@code items[0].key}. */
public final class FieldPaths {
  /** A value that takes the field away. */
  public static final Object ABSENT = "absent";

  private static final Pattern STEP = Pattern.compile("(\\w+)(?:\\[(\\d+)])?(?:\\.(.+))?");

  private FieldPaths() {}

  /** The same message with another value in one field; a number in one of an enum. */
  public static Message with(Message message, String path, Object value) {
    Matcher step = STEP.matcher(path);
    if (!step.matches()) {
      throw new IllegalArgumentException(path);
    }
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(step.group(1));
    Message.Builder changed = message.toBuilder();
    int index = step.group(2) == null ? -1 : Integer.parseInt(step.group(2));
    if (step.group(3) != null) {
      Object inner = index < 0 ? message.getField(field) : message.getRepeatedField(field, index);
      set(changed, field, index, with((Message) inner, step.group(3), value));
    } else if (value == ABSENT) {
      changed.clearField(field);
    } else if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
      int number = (Integer) value;
      set(changed, field, index, field.getEnumType().findValueByNumberCreatingIfUnknown(number));
    } else {
      set(changed, field, index, value);
    }
    return changed.build();
  }

  private static void set(Message.Builder to, FieldDescriptor field, int index, Object value) {
    if (index < 0) {
      to.setField(field, value);
    } else {
      to.setRepeatedField(field, index, value);
    }
  }

  /** Every path in a request, without indices; a duration is a leaf. */
  static List<String> in(Descriptor message) {
    List<String> paths = new ArrayList<>();
    for (FieldDescriptor field : message.getFields()) {
      paths.add(field.getName());
      boolean ours =
          field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
              && field.getMessageType().getFile().getPackage().startsWith("plinth.");
      if (ours) {
        in(field.getMessageType()).forEach(inner -> paths.add(field.getName() + "." + inner));
      }
    }
    return paths;
  }

  static String withoutIndices(String path) {
    return path.replaceAll("\\[\\d+]", "");
  }
}
