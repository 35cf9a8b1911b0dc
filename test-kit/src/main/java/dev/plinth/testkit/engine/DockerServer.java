package dev.plinth.testkit.engine;

import com.github.dockerjava.api.DockerClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container. Its port on the host is chosen, not drawn, so that a restart keeps the
 * address.
 */
final class DockerServer implements ServerController {
  private final GenericContainer<?> container;

  private DockerServer(GenericContainer<?> container) {
    this.container = container;
  }

  /** An image to run servers from; refuses where Docker does not answer. */
  static Image image(TestEnvironment testEnvironment, String variable, String preset) {
    if (!testEnvironment.mayHaveDocker()) {
      throw new UnavailableException("no Docker: neither a socket nor DOCKER_HOST");
    }
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      throw new UnavailableException("Docker does not answer");
    }
    String name = testEnvironment.has(variable) ? testEnvironment.env().get(variable) : preset;
    return new Image(name, DockerClientFactory.instance().dockerHostIpAddress());
  }

  record Image(String name, String host) {
    InetSocketAddress address(int hostPort) {
      return new InetSocketAddress(host, hostPort);
    }

    DockerServer server(int hostPort, int containerPort, List<String> command) {
      GenericContainer<?> container =
          new GenericContainer<>(DockerImageName.parse(name))
              .withCommand(command.toArray(String[]::new))
              .withNetwork(Network.SHARED)
              .waitingFor(new NoWait());
      container.setPortBindings(List.of(hostPort + ":" + containerPort));
      return new DockerServer(container);
    }
  }

  /** The node itself asks the server whether it is ready. */
  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }

  DockerServer named(String host) {
    container.withNetworkAliases(host);
    return this;
  }

  DockerServer environment(String name, String value) {
    container.withEnv(name, value);
    return this;
  }

  @Override
  public void start() {
    if (id() == null) {
      container.start();
    } else {
      docker().startContainerCmd(id()).exec();
    }
  }

  @Override
  public void kill() {
    if (alive()) {
      docker().killContainerCmd(id()).withSignal("KILL").exec();
      Poll.until(Duration.ofMinutes(1), () -> !alive());
    }
  }

  @Override
  public void pause() {
    docker().pauseContainerCmd(id()).exec();
  }

  @Override
  public void resume() {
    docker().unpauseContainerCmd(id()).exec();
  }

  @Override
  public boolean alive() {
    return id() != null
        && Boolean.TRUE.equals(docker().inspectContainerCmd(id()).exec().getState().getRunning());
  }

  @Override
  public boolean controllable() {
    return true;
  }

  @Override
  public String logTail() {
    String log = container.getLogs();
    return log.substring(Math.max(0, log.length() - 4_000));
  }

  @Override
  public void close() {
    container.stop();
  }

  private String id() {
    return container.getContainerId();
  }

  private static DockerClient docker() {
    return DockerClientFactory.instance().client();
  }
}
