package dev.plinth.testkit.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The configuration and command line of a Cassandra node in a process of its own. */
record CassandraProcess(Path directory, int nativePort, int storagePort) {
  /** Batch: a write is answered once its part of the commit log can be replayed. */
  private static final String YAML =
      """
      cluster_name: testkit
      num_tokens: 1
      partitioner: org.apache.cassandra.dht.Murmur3Partitioner
      endpoint_snitch: SimpleSnitch
      seed_provider:
        - class_name: org.apache.cassandra.locator.SimpleSeedProvider
          parameters:
            - seeds: 127.0.0.1:%1$d
      listen_address: 127.0.0.1
      storage_port: %1$d
      rpc_address: 127.0.0.1
      native_transport_port: %2$d
      commitlog_sync: batch
      paxos_variant: v2
      hinted_handoff_enabled: false
      auto_snapshot: false
      """;

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="OUT"/></root>
      </configuration>
      """;

  /** What Cassandra's own start script opens of the JDK for version 17. */
  private static final List<String> OPENED =
      List.of(
          "java.base/java.io",
          "java.base/java.lang",
          "java.base/java.lang.module",
          "java.base/java.lang.reflect",
          "java.base/java.math",
          "java.base/java.net",
          "java.base/java.nio",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/jdk.internal.loader",
          "java.base/jdk.internal.math",
          "java.base/jdk.internal.misc",
          "java.base/jdk.internal.module",
          "java.base/jdk.internal.ref",
          "java.base/jdk.internal.reflect",
          "java.base/jdk.internal.util.jar",
          "java.base/sun.nio.ch",
          "java.management.rmi/com.sun.jmx.remote.internal.rmi",
          "java.rmi/sun.rmi.registry",
          "java.rmi/sun.rmi.server",
          "java.rmi/sun.rmi.transport.tcp",
          "java.sql/java.sql",
          "jdk.compiler/com.sun.tools.javac.file",
          "jdk.management/com.sun.management.internal");

  List<String> command(String classPath, List<String> options) throws IOException {
    Path yaml = directory.resolve("cassandra.yaml");
    Files.writeString(yaml, YAML.formatted(storagePort, nativePort));
    Path logback = Files.writeString(directory.resolve("logback.xml"), LOGBACK);
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The first compiler only: the second would spend as much processor time as the whole start.
    line.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String opened : OPENED) {
      line.add("--add-opens=" + opened + "=ALL-UNNAMED");
      line.add("--add-exports=" + opened + "=ALL-UNNAMED");
    }
    line.add("-Dcassandra.config=" + yaml.toUri());
    line.add("-Dcassandra.storagedir=" + directory);
    line.add("-Dcassandra-foreground=yes");
    // Native libraries are unpacked there, and a killed process does not delete them.
    line.addAll(List.of("-Djava.io.tmpdir=" + directory, "-Djna.tmpdir=" + directory));
    line.add("-Dlogback.configurationFile=" + logback.toUri());
    line.addAll(options);
    line.addAll(List.of("-cp", classPath, "org.apache.cassandra.service.CassandraDaemon"));
    return line;
  }
}
