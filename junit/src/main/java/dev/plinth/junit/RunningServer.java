package dev.plinth.junit;

import dev.plinth.client.PlinthClient;
import dev.plinth.client.PlinthClientBuilder;
import dev.plinth.machine.Machine;
import dev.plinth.server.settings.Settings;
import dev.plinth.server.settings.SettingsRefusedException;
import dev.plinth.standalone.PlinthServer;
import dev.plinth.standalone.PlinthSettings;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One server of an extension, with everything that was opened to it. */
final class RunningServer implements AutoCloseable {
  private static final long CLOSE_SECONDS = 10;

  private final TestClock clock;
  private final Path directory;
  private final PlinthServer server;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<ClockScheduler> schedulers = new ArrayList<>();
  private ManagedChannel channel;
  private PlinthClient client;

  private RunningServer(TestClock clock, Path directory, PlinthServer server) {
    this.clock = clock;
    this.directory = directory;
    this.server = server;
  }

  static RunningServer start(TestClock clock, List<String> flags) {
    Path directory = temporaryDirectory();
    try {
      Machine machine = Machine.system().withTime(clock);
      return new RunningServer(
          clock, directory, PlinthServer.start(settings(directory, flags), machine));
    } catch (RuntimeException e) {
      delete(directory);
      throw e;
    }
  }

  private static PlinthSettings settings(Path directory, List<String> flags) {
    List<String> all = new ArrayList<>(flags); // the first of two flags for one key wins
    all.addAll(
        List.of(
            "--data-dir=" + directory,
            "--port=0",
            "--admin-port=0",
            "--drain.pause=0s",
            "--drain.grace=1s"));
    try {
      return Settings.read(PlinthSettings.class, all, Map.of()).value();
    } catch (SettingsRefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  String address() {
    return "localhost:" + server.port();
  }

  synchronized Channel channel() {
    if (channel == null) {
      channel = Grpc.newChannelBuilder(address(), InsecureChannelCredentials.create()).build();
      channels.add(channel);
    }
    return channel;
  }

  synchronized PlinthClient client() {
    if (client == null) {
      client = clientBuilder().build();
    }
    return client;
  }

  synchronized PlinthClientBuilder clientBuilder() {
    ClockScheduler scheduler = new ClockScheduler(clock);
    schedulers.add(scheduler);
    ManagedChannel own =
        Grpc.newChannelBuilder(address(), InsecureChannelCredentials.create())
            .intercept(new TimedCallInterceptor(scheduler))
            .build();
    channels.add(own);
    return PlinthClient.builder(own).machine(new ClockMachine(clock, scheduler));
  }

  @Override
  public synchronized void close() {
    if (client != null) {
      client.close();
    }
    schedulers.forEach(ClockScheduler::shutdownNow);
    channels.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel each : channels) {
        each.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      for (ClockScheduler each : schedulers) {
        each.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    clock.removeListeners();
    server.close();
    delete(directory);
  }

  private static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("plinth-junit");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
