package dev.plinth.bench;

import dev.plinth.testkit.JavaProcess;
import dev.plinth.testkit.engine.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A ZooKeeper server from its jars, in a process of its own, that syncs its log to disk. */
public final class ZooKeeperProcess implements AutoCloseable {
  /** The tick is short, as sessions cannot be shorter than two of them. */
  private static final String CONFIGURATION =
      """
      dataDir=%s
      clientPortAddress=127.0.0.1
      clientPort=%d
      tickTime=500
      maxSessionTimeout=60000
      maxClientCnxns=0
      admin.enableServer=false
      """;

  // Held here, or its level is forgotten. What matters fails the operation as well.
  private static final Logger LOG = Logger.getLogger("org.apache");

  private final JavaProcess process;
  private final int port;

  public ZooKeeperProcess(Path directory) throws IOException {
    Files.createDirectories(directory);
    port = Ports.free(1)[0];
    Path file = directory.resolve("zoo.cfg");
    Files.writeString(file, CONFIGURATION.formatted(directory.resolve("data"), port));
    process =
        JavaProcess.start(
            directory,
            List.of("-Xmx1g", "-Dzookeeper.forceSync=yes", "-Dzookeeper.jmx.log4j.disable=true"),
            ZooKeeperServerMain.class,
            file.toString());
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  public long pid() {
    return process.pid();
  }

  /** A connected client. */
  public CuratorFramework connect(Duration session) throws InterruptedException {
    CuratorFramework client = connect(address(), session);
    if (client.getZookeeperClient().isConnected()) {
      return client;
    }
    client.close();
    throw new IllegalStateException("no ZooKeeper at " + address() + ":\n" + process.output());
  }

  /** A client that is connected if that took no more than half a minute. */
  public static CuratorFramework connect(String address, Duration session)
      throws InterruptedException {
    LOG.setLevel(Level.SEVERE);
    int millis = (int) session.toMillis();
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(address, millis, millis, new RetryOneTime(100));
    client.start();
    client.blockUntilConnected(30, TimeUnit.SECONDS);
    return client;
  }

  @Override
  public void close() {
    process.close();
  }
}
