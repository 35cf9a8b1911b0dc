package dev.plinth.shards.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

/**
 * What the responses of all watches have: {@code resume_token}, {@code progress} and {@code gap}.
 */
final class WatchMessages<R extends Message> {
  private final R response;
  private final FieldDescriptor token;
  private final FieldDescriptor progress;
  private final FieldDescriptor gap;

  WatchMessages(R response) {
    this.response = response;
    this.token = field("resume_token");
    this.progress = field("progress");
    this.gap = field("gap");
  }

  private FieldDescriptor field(String name) {
    FieldDescriptor field = response.getDescriptorForType().findFieldByName(name);
    if (field == null) {
      throw new IllegalStateException(
          response.getDescriptorForType().getFullName() + " must have a field " + name);
    }
    return field;
  }

  /** Of a request or a response. */
  static String resumeToken(Message message) {
    return (String) message.getField(resumeTokenField(message));
  }

  @SuppressWarnings("unchecked") // made from the request's own builder
  static <Q extends Message> Q resuming(Q request, String resumeToken) {
    return (Q) request.toBuilder().setField(resumeTokenField(request), resumeToken).build();
  }

  private static FieldDescriptor resumeTokenField(Message message) {
    return message.getDescriptorForType().findFieldByName("resume_token");
  }

  boolean isProgress(R message) {
    return message.hasField(progress);
  }

  boolean isGap(R message) {
    return message.hasField(gap);
  }

  Message.Builder progress() {
    return empty(progress);
  }

  Message.Builder gap() {
    return empty(gap);
  }

  private Message.Builder empty(FieldDescriptor field) {
    Message.Builder message = response.newBuilderForType();
    return message.setField(field, message.newBuilderForField(field).build());
  }

  @SuppressWarnings("unchecked") // made from the response's own builder
  R build(Message.Builder message) {
    return (R) message.build();
  }

  @SuppressWarnings("unchecked")
  R build(Message.Builder message, ResumeToken at) {
    return (R) message.setField(token, at.text()).build();
  }
}
