package dev.plinth.testkit.engine;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * What a Redis needs to speak TLS alone: a certificate for 127.0.0.1, and for no other name of this
 * machine, that it signed itself.
 */
final class RedisTls {
  private static final String SECRET = "test-kit";

  private RedisTls() {}

  /** For clients, and for the nodes among each other. */
  static List<String> options(int port) {
    String certificate = Certificate.FILES.certificate.toString();
    return List.of(
        "--port",
        "0",
        "--tls-port",
        "" + port,
        "--tls-cert-file",
        certificate,
        "--tls-key-file",
        Certificate.FILES.key.toString(),
        "--tls-ca-cert-file",
        certificate,
        "--tls-auth-clients",
        "no",
        "--tls-replication",
        "yes",
        "--tls-cluster",
        "yes");
  }

  static Path certificate() {
    return Certificate.FILES.certificate;
  }

  static Socket over(Socket connected) throws IOException {
    InetSocketAddress peer = (InetSocketAddress) connected.getRemoteSocketAddress();
    return Certificate.FILES
        .context
        .getSocketFactory()
        .createSocket(connected, peer.getHostString(), peer.getPort(), true);
  }

  /** Made once for a JVM, by the JDK's own keytool. */
  private record Certificate(Path certificate, Path key, SSLContext context) {
    static final Certificate FILES = make();

    private static Certificate make() {
      try {
        Path directory = Files.createTempDirectory("plinth-tls-");
        Path store = directory.resolve("store.p12");
        keytool(store);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
          keys.load(in, SECRET.toCharArray());
        }
        Path certificate = directory.resolve("certificate.pem");
        Path key = directory.resolve("key.pem");
        pem(certificate, "CERTIFICATE", keys.getCertificate("redis").getEncoded());
        pem(key, "PRIVATE KEY", keys.getKey("redis", SECRET.toCharArray()).getEncoded());
        for (Path file : List.of(directory, store, certificate, key)) {
          file.toFile().deleteOnExit();
        }
        return new Certificate(certificate, key, trusting(keys));
      } catch (IOException | GeneralSecurityException | InterruptedException e) {
        throw new IllegalStateException("no certificate could be made", e);
      }
    }

    private static void keytool(Path store) throws IOException, InterruptedException {
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "redis",
                  "-keyalg",
                  "RSA",
                  "-dname",
                  "CN=127.0.0.1",
                  "-ext",
                  "SAN=ip:127.0.0.1",
                  "-ext",
                  "bc:c=ca:true",
                  "-validity",
                  "30",
                  "-storetype",
                  "PKCS12",
                  "-storepass",
                  SECRET,
                  "-keystore",
                  store.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!keytool.waitFor(1, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
        throw new IOException("keytool failed");
      }
    }

    private static void pem(Path file, String kind, byte[] der) throws IOException {
      String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
      Files.writeString(
          file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(kind, text, kind));
    }

    private static SSLContext trusting(KeyStore keys) throws GeneralSecurityException, IOException {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("redis", keys.getCertificate("redis"));
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    }
  }
}
