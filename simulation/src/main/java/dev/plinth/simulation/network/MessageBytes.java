package dev.plinth.simulation.network;

import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** What goes over the network: bytes and copies, so that no two processes share anything. */
final class MessageBytes {
  private MessageBytes() {}

  static byte[] read(InputStream message) {
    try (message) {
      return message.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Metadata copy(Metadata metadata) {
    Metadata copy = new Metadata();
    copy.merge(metadata);
    return copy;
  }

  static Status withoutCause(Status status) {
    return Status.fromCode(status.getCode()).withDescription(status.getDescription());
  }

  static String summary(byte[] message) {
    return message.length + " bytes " + Integer.toHexString(Arrays.hashCode(message));
  }
}
