package dev.plinth.client.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.RegistryServer;
import dev.plinth.client.member.JoinOptions;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Partitions of a real registry, over the network. */
@Timeout(180)
class SharedPartitionsTest {
  private static final int COUNT = 16;

  @TempDir Path directory;
  private RegistryServer server;
  private final List<PlinthClient> clients = new ArrayList<>();
  // Who acts for a partition, as the callbacks have it; and what went wrong.
  private final Map<Integer, String> acting = new ConcurrentHashMap<>();
  private final Map<Integer, Long> tokens = new ConcurrentHashMap<>();
  private final List<String> wrong = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() {
    server = new RegistryServer(directory);
  }

  @AfterEach
  void stop() {
    clients.forEach(PlinthClient::close);
    server.close();
  }

  private PlinthClient client(String target) {
    PlinthClient client = PlinthClient.builder(target).memberTtl(Duration.ofSeconds(2)).build();
    clients.add(client);
    return client;
  }

  private SharedPartitions join(PlinthClient client, String name) throws InterruptedException {
    return client
        .partitions("billing", COUNT)
        .as(JoinOptions.defaults().name(name))
        .onAssigned(owned -> begin(name, owned))
        .onRevoked(owned -> end(name, owned))
        .join();
  }

  private void begin(String name, Owned owned) {
    String other = acting.put(owned.partition(), name);
    if (other != null) {
      wrong.add(name + " begins " + owned + " while " + other + " acts for it");
    }
    Long before = tokens.put(owned.partition(), owned.token());
    if (before != null && before > owned.token()) {
      wrong.add(name + " begins " + owned + " after token " + before);
    }
  }

  private void end(String name, Owned owned) {
    if (!acting.remove(owned.partition(), name)) {
      wrong.add(name + " ends " + owned + " which it does not act for");
    }
  }

  private static void await(SharedPartitions partitions, int owned) {
    Await.until(partitions.name() + " owns " + owned, () -> partitions.owned().size() == owned);
  }

  @Test
  void membersThatComeAndGo_shareEvenly_neverTwoForOnePartition() throws Exception {
    SharedPartitions ann = join(client(server.target()), "ann");
    await(ann, 16);
    SharedPartitions bob = join(client(server.target()), "bob");
    await(ann, 8);
    await(bob, 8);
    SharedPartitions carl = join(client(server.target()), "carl");
    Await.until("carl has his share", () -> carl.owned().size() == 5);
    bob.close();
    await(carl, 8);
    await(ann, 8);
    assertEquals(List.of(), wrong);
    assertEquals(16, acting.size());
  }

  @Test
  void partition_isNobodyElses_beforeTheCallbackHasReturned() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    SharedPartitions ann =
        client(server.target())
            .partitions("billing", 1)
            .as(JoinOptions.defaults().name("zoe"))
            .onRevoked(owned -> await(finish))
            .join();
    await(ann, 1);
    long token = ann.requireOwned(0);
    SharedPartitions bob =
        client(server.target())
            .partitions("billing", 1)
            .as(JoinOptions.defaults().name("bob"))
            .join();
    Thread closing = new Thread(ann::close);
    closing.start();
    Await.until("revoked", () -> !ann.owns(0));
    assertThrows(PartitionLostException.class, () -> ann.requireOwned(0));
    // Beats of bob's session show that the server works on; it does not give the partition away.
    Await.until("the owner is shown", () -> bob.owners().owner(0).isPresent());
    assertFalse(bob.owns(0));
    finish.countDown();
    await(bob, 1);
    assertTrue(bob.requireOwned(0) > token);
    closing.join();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void partitionedOwner_letsGoHereFirst_andTheOthersTakeOver() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("localhost", server.port())) {
      SharedPartitions ann = join(client(proxy.address()), "ann");
      SharedPartitions bob = join(client(server.target()), "bob");
      await(ann, 8);
      await(bob, 8);
      proxy.cut();
      await(bob, 16);
      assertEquals(List.of(), wrong);
      assertEquals(List.of(), ann.owned());
      proxy.heal();
      await(ann, 8);
      assertEquals(List.of(), wrong);
      clients.get(0).close();
    }
  }

  @Test
  void ownerOf_namesTheOwnerOfAKey_alsoToObservers() throws Exception {
    SharedPartitions ann = join(client(server.target()), "ann");
    await(ann, 16);
    assertEquals("ann", ann.ownerOf("customer-17").orElseThrow().getOwner());
    assertEquals(
        ann.ownerOf("customer-17").orElseThrow().getToken(), ann.requireOwnerOf("customer-17"));
    try (PartitionOwners owners = client(server.target()).partitions("billing", COUNT).observe()) {
      assertEquals("ann", owners.ownerOf("customer-17").orElseThrow().getOwner());
      ann.close();
      Await.until("nobody", () -> owners.ownerOf("customer-17").isEmpty());
    }
  }

  @Test
  void anotherNumberOfPartitions_isRefused() throws Exception {
    join(client(server.target()), "ann");
    CallFailedException thrown =
        assertThrows(
            CallFailedException.class,
            () ->
                client(server.target())
                    .partitions("billing", 4)
                    .as(JoinOptions.defaults().name("bob"))
                    .join());
    assertEquals(ErrorReason.ERROR_REASON_DEFINITION_FIXED, thrown.reason());
  }
}
