package dev.plinth.shards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.failure.Failure;
import dev.plinth.shards.store.ShardStore;
import dev.plinth.testkit.Await;
import dev.plinth.testkit.TestSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several nodes with real threads on one store: shards move as nodes come and go. */
public abstract class MovesContract {
  protected static final int SHARDS = 8;
  private static final TextApp TEXTS = new TextApp();

  /** One of the nodes. */
  final class Member {
    final MeterRegistry meters = new SimpleMeterRegistry();
    final String name;
    final ShardStore store;
    final Shards shards;

    Member(String name) {
      this.name = name;
      store = open(name);
      shards = Shards.open(store, List.of(TEXTS), settings(), meters);
      shards.announce(name + ":1");
      members.add(this);
    }

    double given() {
      return meters.get("plinth.shards.given").counter().count();
    }

    void close() {
      members.remove(this);
      shards.leave(Duration.ofSeconds(10));
      shards.close();
      store.close();
    }
  }

  final List<Member> members = new CopyOnWriteArrayList<>();

  protected abstract ShardStore open(String node);

  @AfterEach
  void stop() {
    List.copyOf(members).forEach(Member::close);
  }

  @Test
  void nodesThatJoinAndLeave_shareEvenly_withTheFewestMoves() {
    Member a = new Member("a");
    assertEquals(SHARDS, a.shards.served().size(), "alone it has all");
    Member b = new Member("b");
    awaitSpread(4, 4);
    Member c = new Member("c");
    awaitSpread(3, 3, 2);
    assertEquals(6, a.given() + b.given(), "4 to b, then one of each to c");
    a.close();
    awaitSpread(4, 4);
    assertEquals(0, c.given());
  }

  @Test
  void callsDuringMoves_areAnswered_orSurelyHadNoEffect_andNothingIsLost() throws Exception {
    Member a = new Member("a");
    Map<String, String> told = new ConcurrentHashMap<>();
    List<String> odd = new CopyOnWriteArrayList<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String caller = "caller" + i;
      callers.add(
          new Thread(() -> IntStream.range(0, 400).forEach(n -> put(caller + "/" + n, told, odd))));
    }
    callers.forEach(Thread::start);
    Await.until("calls run", () -> told.size() > 100);
    Member b = new Member("b");
    awaitSpread(4, 4);
    a.close();
    awaitSpread(8);
    for (Thread caller : callers) {
      caller.join(30_000);
    }
    assertEquals(List.of(), odd);
    assertEquals(1600, told.size());
    told.forEach((key, text) -> assertEquals(text, get(b, key), key));
  }

  /** Puts once; goes to another node only where the refusal says that there was no effect. */
  private void put(String key, Map<String, String> told, List<String> odd) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() - until < 0) {
      for (Member member : members) {
        int shard = member.shards.shardOf(key);
        try {
          String before =
              member
                  .shards
                  .submit(shard, TEXTS, CommandPriority.NORMAL, TextApp.put(key, key))
                  .get(10, TimeUnit.SECONDS);
          if (!before.isEmpty()) {
            odd.add("twice: " + key);
          }
          told.put(key, key);
          return;
        } catch (ExecutionException e) {
          Failure why = (Failure) e.getCause();
          if (!"none".equals(why.metadata().get(ShardFailures.EFFECT))) {
            odd.add(key + ": " + why);
            return;
          }
        } catch (Exception e) {
          odd.add(key + ": " + e);
          return;
        }
      }
      Thread.yield(); // the nodes that move the shard need the processors too
    }
    odd.add("never: " + key);
  }

  @Test
  void waiterInLine_isSentOn_andHadNoEffect() {
    Member a = new Member("a");
    List<CompletableFuture<Object>> waiting = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      waiting.add(a.shards.submit(shard, TEXTS, CommandPriority.NORMAL, (state, tx, reply) -> {}));
    }
    new Member("b");
    awaitSpread(4, 4);
    List<Integer> moved =
        IntStream.range(0, SHARDS).filter(shard -> waiting.get(shard).isDone()).boxed().toList();
    assertEquals(4, moved.size());
    for (int shard : moved) {
      Failure why = waiting.get(shard).handle((r, thrown) -> (Failure) thrown).join();
      assertEquals("none", why.metadata().get(ShardFailures.EFFECT));
    }
  }

  @Test
  void routes_followTheShards_andAwaitGoesOnAtTheNewOwner() {
    Member a = new Member("a");
    Route before = a.shards.routes().of(7);
    assertEquals(Route.Location.LOCAL, before.location());
    new Member("b");
    CompletableFuture<Route> next = new CompletableFuture<>();
    Await.until(
        "shard 7 is given", () -> a.shards.routes().of(7).location() != Route.Location.LOCAL);
    assertTrue(a.shards.routes().await(7, before, Duration.ofSeconds(10), next::complete));
    Route route = next.orTimeout(20, TimeUnit.SECONDS).join();
    assertEquals(Route.Location.REMOTE, route.location());
    assertEquals("b:1", route.address());
    assertEquals("b", route.node());
  }

  @Test
  void await_endsAfterItsTime_ifThereIsNoOwner() {
    Member a = new Member("a");
    Route here = a.shards.routes().of(0);
    CompletableFuture<Route> next = new CompletableFuture<>();
    a.shards.routes().await(0, here, Duration.ofMillis(10), next::complete);
    assertEquals(here, next.orTimeout(20, TimeUnit.SECONDS).join());
  }

  final void awaitSpread(int... counts) {
    Await.until(
        "a spread of " + Arrays.toString(counts) + " over " + members.size(),
        () -> {
          List<Integer> served =
              members.stream().map(member -> member.shards.served().size()).toList();
          return served.equals(IntStream.of(counts).boxed().toList());
        });
  }

  static String get(Member from, String key) {
    return from.shards
        .submit(from.shards.shardOf(key), TEXTS, CommandPriority.NORMAL, TextApp.get(key))
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }

  private static ShardsSettings settings() {
    return TestSettings.read(ShardsSettings.class, "--count=" + SHARDS, "--threads=2");
  }
}
