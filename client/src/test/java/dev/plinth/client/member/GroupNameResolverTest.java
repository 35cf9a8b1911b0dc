package dev.plinth.client.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.StringValue;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.RegistryServer;
import dev.plinth.registry.v1.Override;
import dev.plinth.registry.v1.SetOverrideRequest;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.FaultProxy;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.NameResolverRegistry;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Channels by group, over a real registry and real servers. */
@Timeout(120)
class GroupNameResolverTest {
  @TempDir Path directory;
  private final List<Server> servers = new ArrayList<>();
  private RegistryServer registry;
  private PlinthClient client;
  private FaultProxy proxy;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    registry = new RegistryServer(directory);
    client = PlinthClient.builder(registry.target()).memberTtl(Duration.ofSeconds(10)).build();
    proxy = FaultProxy.to("localhost", registry.port());
  }

  @AfterEach
  void stop() {
    if (channel != null) {
      channel.shutdownNow();
    }
    client.close();
    servers.forEach(Server::shutdownNow);
    proxy.close();
    registry.close();
  }

  private PlinthMember serve(String name, String zone) throws Exception {
    Server server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(
                new EchoService(
                        (request, answer) -> {
                          answer.onNext(StringValue.of(name));
                          answer.onCompleted();
                        })
                    .endpoints()
                    .get(0))
            .build()
            .start();
    servers.add(server);
    return client
        .members()
        .join(
            "web",
            JoinOptions.defaults()
                .name(name)
                .endpoint("grpc", "127.0.0.1:" + server.getPort())
                .label("zone", zone)
                .drainDelay(Duration.ZERO));
  }

  private void open(String parameters) {
    String server = URLEncoder.encode(proxy.address(), StandardCharsets.UTF_8);
    channel =
        Grpc.newChannelBuilder(
                "plinth:///web?server=" + server + parameters, InsecureChannelCredentials.create())
            .build();
  }

  private String call() {
    return ClientCalls.blockingUnaryCall(
            channel,
            EchoService.SAY,
            CallOptions.DEFAULT.withDeadlineAfter(5, TimeUnit.SECONDS),
            StringValue.of("who"))
        .getValue();
  }

  /** Who answers a few calls in a row. */
  private Set<String> answering() {
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < 12; i++) {
      names.add(call());
    }
    return names;
  }

  private void await(String... names) {
    Await.until("served by " + List.of(names), () -> answering().equals(Set.of(names)));
  }

  @Test
  void calls_areSpreadOverMembers_thatComeAndGo() throws Exception {
    serve("ann", "a");
    PlinthMember bob = serve("bob", "a");
    open("");
    await("ann", "bob");
    serve("carl", "b");
    await("ann", "bob", "carl");
    bob.drain();
    await("ann", "carl");
    bob.undrain();
    await("ann", "bob", "carl");
    override("ann", Override.OVERRIDE_OUT_OF_SERVICE);
    await("bob", "carl");
    bob.close();
    await("carl");
  }

  private void override(String name, Override override) {
    registry
        .registry()
        .setOverride(
            SetOverrideRequest.newBuilder()
                .setGroup("web")
                .setName(name)
                .setOverride(override)
                .setActor("olga")
                .build());
  }

  @Test
  void labels_chooseMembers() throws Exception {
    serve("ann", "a");
    serve("bob", "b");
    open("&label.zone=b");
    await("bob");
  }

  @Test
  void staleLocalConfig_membersAreKept_whileTheRegistryIsAway_andItResumes() throws Exception {
    serve("ann", "a");
    open("");
    await("ann");
    proxy.cut();
    serve("bob", "a");
    assertEquals(Set.of("ann"), answering());
    proxy.heal();
    await("ann", "bob");
  }

  @Test
  void registryThatIsAwayFromTheBeginning_failsCalls_untilItIsThere() throws Exception {
    serve("ann", "a");
    proxy.cut();
    open("");
    StatusRuntimeException thrown = assertThrows(StatusRuntimeException.class, this::call);
    assertEquals(Status.Code.UNAVAILABLE, thrown.getStatus().getCode());
    proxy.heal();
    await("ann");
  }

  @Test
  void groupWithoutMembers_failsCalls_untilOneJoins() throws Exception {
    open("");
    StatusRuntimeException thrown = assertThrows(StatusRuntimeException.class, this::call);
    assertEquals(Status.Code.UNAVAILABLE, thrown.getStatus().getCode());
    serve("ann", "a");
    await("ann");
  }

  @Test
  void providerOfAClient_goesByThatClient() throws Exception {
    serve("ann", "a");
    NameResolverRegistry names = NameResolverRegistry.getDefaultRegistry();
    PlinthNameResolverProvider own = new PlinthNameResolverProvider(client);
    names.register(own);
    try {
      channel =
          Grpc.newChannelBuilder("plinth:///web", InsecureChannelCredentials.create()).build();
      await("ann");
    } finally {
      names.deregister(own);
    }
  }
}
