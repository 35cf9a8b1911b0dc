package dev.plinth.client.config;

import com.google.protobuf.ByteString;
import dev.plinth.config.v1.Snapshot;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.HexFormat;
import java.util.Map;

/** Checks content against its hash, and against a signature if keys are trusted. */
final class ContentVerifier {
  private static final String SIGNATURE = "Ed25519";
  private static final String DOMAIN = "plinth-config-v1";

  private final String namespace;
  private final Map<String, PublicKey> trusted;

  /**
   * @param trusted by the name of the key; none to take what is not signed
   */
  ContentVerifier(String namespace, Map<String, PublicKey> trusted) {
    this.namespace = namespace;
    this.trusted = Map.copyOf(trusted);
  }

  static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has it", e);
    }
  }

  void verify(ConfigGroup group) throws ConfigRejectedException {
    for (Snapshot snapshot : group.assignment().getSnapshotsList()) {
      verify(snapshot, group.contents().get(snapshot.getConfig()));
    }
  }

  private void verify(Snapshot snapshot, ByteString content) throws ConfigRejectedException {
    String config = snapshot.getConfig();
    if (content == null) {
      throw new ConfigRejectedException(config, "its content is missing");
    }
    byte[] hash = sha256(content.toByteArray());
    if (!MessageDigest.isEqual(hash, snapshot.getSha256().toByteArray())) {
      throw new ConfigRejectedException(config, "its content does not have its SHA-256");
    }
    if (!trusted.isEmpty()) {
      verifySignature(snapshot, hash);
    }
  }

  private void verifySignature(Snapshot snapshot, byte[] hash) throws ConfigRejectedException {
    String config = snapshot.getConfig();
    PublicKey key = trusted.get(snapshot.getKeyId());
    if (snapshot.getSignature().isEmpty()) {
      throw new ConfigRejectedException(config, "it is not signed");
    }
    if (key == null) {
      throw new ConfigRejectedException(
          config, "it is signed with a key that is not trusted: " + snapshot.getKeyId());
    }
    try {
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initVerify(key);
      signature.update(signedText(namespace, config, snapshot.getRevision(), hash));
      if (!signature.verify(snapshot.getSignature().toByteArray())) {
        throw new ConfigRejectedException(config, "its signature is wrong");
      }
    } catch (GeneralSecurityException e) {
      throw new ConfigRejectedException(config, e);
    }
  }

  /** What a signature is over; the API's comments define it. */
  static byte[] signedText(String namespace, String config, long revision, byte[] hash) {
    String text =
        "%s\n%s\n%s\n%d\n%s\n"
            .formatted(DOMAIN, namespace, config, revision, HexFormat.of().formatHex(hash));
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
