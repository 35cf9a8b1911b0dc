package dev.plinth.simulation.kernel;

import com.google.protobuf.StringValue;
import dev.plinth.machine.Loop;
import dev.plinth.simulation.network.SimulatedNetwork;
import dev.plinth.testkit.EchoService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Servers that say what they hear, clients that talk to them, and faults: all of the kernel. */
final class EchoWorld {
  private static final int SERVERS = 2;
  private static final int CLIENTS = 4;
  private static final long SECOND = 1_000_000_000;

  private final Simulation simulation;
  private final SimulatedNetwork network;
  private final SplittableRandom random;
  private final SimulatedProcess[] servers = new SimulatedProcess[SERVERS];
  private int lives;
  int answered;

  EchoWorld(Simulation simulation) {
    this.simulation = simulation;
    this.network = new SimulatedNetwork(simulation);
    this.random = simulation.random("echo");
  }

  /** The hash of a seed's trace. */
  static long hash(long seed) {
    try (Simulation simulation = new Simulation(seed)) {
      EchoWorld world = new EchoWorld(simulation);
      world.run();
      return simulation.trace().hash();
    }
  }

  public static void main(String[] args) {
    for (long seed = 0; seed < Long.parseLong(args[0]); seed++) {
      System.out.println("hash " + seed + " " + hash(seed));
    }
    System.out.println("done");
  }

  void run() {
    for (int i = 0; i < SERVERS; i++) {
      start(i);
    }
    for (int i = 0; i < CLIENTS; i++) {
      client(i);
    }
    simulation.world().after(SECOND, this::fault);
    simulation.runUntil(30 * SECOND);
  }

  private void start(int number) {
    String name = "server" + number;
    SimulatedProcess process = simulation.process(name, simulation.clock(name));
    SimulatedMachine machine = new SimulatedMachine(process, name + " life " + lives++);
    servers[number] = process;
    ExecutorService workers = machine.workers("answers", 2);
    EchoService echo =
        new EchoService((text, answer) -> workers.execute(() -> answer(machine, text, answer)));
    simulation.thread(
        process,
        "main",
        () -> {
          sleep(machine, 5);
          try {
            network
                .serverBuilder(machine, name + ":1", 3)
                .addService(echo.endpoints().get(0))
                .build()
                .start();
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    Loop loop =
        machine.loop(
            "loop",
            () -> {
              simulation.trace(name, "pass " + machine.random().nextInt(10));
              return SECOND / 4;
            });
    loop.start();
  }

  private static void answer(
      SimulatedMachine machine, StringValue text, StreamObserver<StringValue> answer) {
    sleep(machine, machine.random().nextInt(20));
    answer.onNext(text);
    sleep(machine, machine.random().nextInt(3));
    answer.onCompleted();
  }

  private static void sleep(SimulatedMachine machine, int millis) {
    try {
      machine.pause(Duration.ofMillis(millis));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void client(int number) {
    String name = "client" + number;
    SimulatedProcess process = simulation.process(name, simulation.clock(name));
    SimulatedMachine machine = new SimulatedMachine(process, name);
    Channel channel = network.channel(machine, "server" + number % SERVERS + ":1");
    machine
        .scheduler("caller")
        .scheduleWithFixedDelay(
            () -> call(machine, channel), number, 30 + number, TimeUnit.MILLISECONDS);
  }

  private void call(SimulatedMachine machine, Channel channel) {
    CallOptions options =
        CallOptions.DEFAULT.withDeadline(
            io.grpc.Deadline.after(
                10 + machine.random().nextInt(500), TimeUnit.MILLISECONDS, machine.ticker()));
    ClientCalls.asyncUnaryCall(
        channel.newCall(EchoService.SAY, options),
        StringValue.of("text " + machine.random().nextInt()),
        new StreamObserver<>() {
          @Override
          public void onNext(StringValue value) {
            answered++;
          }

          @Override
          public void onError(Throwable thrown) {}

          @Override
          public void onCompleted() {}
        });
  }

  private void fault() {
    int number = random.nextInt(SERVERS);
    SimulatedProcess server = servers[number];
    String client = "client" + random.nextInt(CLIENTS);
    long time = random.nextLong(3 * SECOND);
    int kind = random.nextInt(6);
    simulation.trace("world", "fault " + kind + " at " + server + " and " + client);
    switch (kind) {
      case 0 -> {
        server.kill();
        network.died(server);
        simulation.world().after(time, () -> start(number));
      }
      case 1 -> {
        server.pause();
        simulation.world().after(time, server::resume);
      }
      case 2 -> {
        server.suspend();
        simulation.world().after(time, server::wakeUp);
      }
      case 3 -> {
        network.cut(client, server.name());
        simulation.world().after(time, () -> network.heal(client, server.name()));
      }
      case 4 -> {
        network.cut(server.name(), client);
        simulation.world().after(time, () -> network.heal(server.name(), client));
      }
      default -> network.reset(client, server.name());
    }
    simulation.world().after(time + random.nextLong(SECOND), this::fault);
  }
}
