package dev.plinth.testkit.call;

import com.google.protobuf.Message;

/** A request that is fine but for one field. */
public record BadField(Message good, String path, Object value) {
  Message request() {
    return FieldPaths.with(good, path, value);
  }

  /** The field's name in all requests of this type, whichever of several it is. */
  String name() {
    return good.getDescriptorForType().getName() + "." + FieldPaths.withoutIndices(path);
  }

  @Override
  public String toString() {
    String shown = String.valueOf(value).strip();
    return good.getDescriptorForType().getName()
        + "."
        + path
        + " = "
        + shown.substring(0, Math.min(shown.length(), 40));
  }
}
