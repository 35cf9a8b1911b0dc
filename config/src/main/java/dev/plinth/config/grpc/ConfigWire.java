package dev.plinth.config.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.plinth.config.core.ConfigName;
import dev.plinth.config.core.GroupName;
import dev.plinth.config.core.RevisionContent;
import dev.plinth.config.core.RevisionView;
import dev.plinth.config.v1.ConfigRevision;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.failure.Failure;
import java.util.regex.Pattern;

/** What requests have in common, checked, and revisions on the wire. */
final class ConfigWire {
  static final int MAX_NAME = 128;
  static final int MAX_COMMENT = 256;
  static final int MAX_CONTENT = 256 << 10;
  static final int MAX_SCHEMA = 64 << 10;
  static final int MAX_CONFIG = 63;
  private static final int MAX_TYPE = 127;
  private static final int SIGNATURE = 64;
  private static final Pattern CONFIG = Pattern.compile("[a-z0-9][a-z0-9.-]{0,62}");

  private ConfigWire() {}

  static String config(String field, String value) {
    if (!CONFIG.matcher(value).matches()) {
      throw Failure.Invalid.field(
          field,
          FieldChecks.quoted(value),
          "1.." + MAX_CONFIG + " of a-z, 0-9, - and ., not starting with - or .");
    }
    return value;
  }

  static ConfigName name(String namespace, String config) {
    return new ConfigName(namespace, config("config", config));
  }

  static GroupName group(String namespace, String group) {
    return new GroupName(namespace, config("group", group));
  }

  static String contentType(String value) {
    return FieldChecks.name("content_type", value, MAX_TYPE);
  }

  static String actor(String value) {
    return FieldChecks.name("actor", value, MAX_NAME);
  }

  static String comment(String value) {
    return FieldChecks.optionalName("comment", value, MAX_COMMENT);
  }

  static byte[] content(ByteString value) {
    if (value.size() > MAX_CONTENT) {
      throw Failure.Invalid.field("content", value.size() + " bytes", "at most " + MAX_CONTENT);
    }
    return value.toByteArray();
  }

  static byte[] signature(ByteString value) {
    if (!value.isEmpty() && value.size() != SIGNATURE) {
      throw Failure.Invalid.field(
          "signature", value.size() + " bytes", SIGNATURE + " bytes of Ed25519, or none");
    }
    return value.toByteArray();
  }

  static String keyId(String value, boolean signed) {
    if (!signed && !value.isEmpty()) {
      throw Failure.Invalid.field("key_id", FieldChecks.quoted(value), "none without a signature");
    }
    return signed ? FieldChecks.name("key_id", value, MAX_NAME) : value;
  }

  static long revision(String field, long value) {
    return FieldChecks.between(field, value, 1, Long.MAX_VALUE);
  }

  static long optionalRevision(String field, long value) {
    return FieldChecks.between(field, value, 0, Long.MAX_VALUE);
  }

  /** Without its content. */
  static ConfigRevision.Builder revision(RevisionView view) {
    RevisionContent content = view.revision().content();
    ConfigRevision.Builder revision =
        ConfigRevision.newBuilder()
            .setNamespace(view.name().namespace())
            .setConfig(view.name().config())
            .setGroup(view.group())
            .setRevision(view.revision().number())
            .setContentType(content.type())
            .setSha256(bytes(content.sha256()))
            .setSize(content.bytes().length)
            .setSignature(bytes(content.signature()))
            .setKeyId(content.keyId())
            .setActor(view.revision().actor())
            .setComment(view.revision().comment())
            .setCreateTime(FieldChecks.wire(view.revision().created()))
            .setSchemaRevision(view.revision().schema());
    content.maxStaleness().map(FieldChecks::wire).ifPresent(revision::setMaxStaleness);
    return revision;
  }

  /** Of bytes that nobody changes. */
  static ByteString bytes(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
