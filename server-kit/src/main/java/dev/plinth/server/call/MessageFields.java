package dev.plinth.server.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.time.Duration;

/**
 * The fields of a message inside a request, by name: checked, and refused with their path. For what
 * is defined now and then; a call that must be fast uses the message's own getters.
 */
public final class MessageFields {
  private final Message message;
  private final String path;

  /**
   * @param path of the message in the request, with a dot at its end
   */
  public MessageFields(Message message, String path) {
    this.message = message;
    this.path = path;
  }

  public String path(String field) {
    return path + field;
  }

  private FieldDescriptor field(String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }

  public long between(String name, long least, long most) {
    return FieldChecks.between(
        path + name, ((Number) message.getField(field(name))).longValue(), least, most);
  }

  public int between(String name, int least, int most) {
    return (int) between(name, (long) least, (long) most);
  }

  /** A duration in whole milliseconds within bounds. */
  public Duration duration(String name, Duration byDefault, Duration least, Duration most) {
    FieldDescriptor field = field(name);
    return FieldChecks.duration(
        path + name,
        message.hasField(field) ? (com.google.protobuf.Duration) message.getField(field) : null,
        byDefault,
        least,
        most);
  }
}
