package dev.plinth.bench.ids;

import dev.plinth.bench.BenchRedis;
import dev.plinth.bench.Echo;
import dev.plinth.id.v1.AllocateRequest;
import dev.plinth.id.v1.AllocateResponse;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.IdServiceGrpc.IdServiceBlockingStub;
import io.grpc.Channel;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makers that make a call for every id, or for every hundred. Callers block, on one connection. */
final class Called {
  static final int BATCH = 100;

  private Called() {}

  /** Gives no ids, but takes the time of a call. */
  static Maker echo(Channel channel) {
    return Maker.narrow(
        Echo.NAME,
        given -> {
          Echo.block(channel);
          return 1;
        });
  }

  static Maker increment(BenchRedis redis, String name) {
    RedisCommands<String, String> commands = redis.commands();
    return Maker.narrow(
        name,
        given -> {
          given.add(commands.incr("one-by-one"));
          return 1;
        });
  }

  static Maker incrementBy(BenchRedis redis) {
    RedisCommands<String, String> commands = redis.commands();
    return Maker.narrow(
        "Redis INCRBY " + BATCH,
        given -> {
          long last = commands.incrby("by-hundreds", BATCH);
          for (long id = last - BATCH + 1; id <= last; id++) {
            given.add(id);
          }
          return BATCH;
        });
  }

  /** A hundred in one write. Each caller has a connection, since flushing is a connection's. */
  static Maker pipelined(List<StatefulRedisConnection<String, String>> connections) {
    return new Maker(
        "Redis INCR, %d pipelined".formatted(BATCH),
        Maker.Width.NARROW,
        false,
        caller -> {
          StatefulRedisConnection<String, String> connection = connections.get(caller);
          connection.setAutoFlushCommands(false);
          return given -> pipeline(connection, given);
        });
  }

  private static int pipeline(StatefulRedisConnection<String, String> connection, Given given)
      throws Exception {
    List<RedisFuture<Long>> answers = new ArrayList<>(BATCH);
    for (int i = 0; i < BATCH; i++) {
      answers.add(connection.async().incr("pipelined"));
    }
    connection.flushCommands();
    LettuceFutures.awaitAll(Duration.ofSeconds(10), answers.toArray(RedisFuture[]::new));
    for (RedisFuture<Long> answer : answers) {
      given.add(answer.get());
    }
    return BATCH;
  }

  static Maker allocate(Channel channel, String namespace, int count) {
    IdServiceBlockingStub ids = IdServiceGrpc.newBlockingStub(channel);
    AllocateRequest request =
        AllocateRequest.newBuilder().setNamespace(namespace).setCount(count).build();
    return Maker.narrow(
            "Plinth Allocate(%d)".formatted(count),
            given -> {
              AllocateResponse answer = ids.allocate(request);
              for (int i = 0; i < answer.getCount(); i++) {
                given.add(answer.getFirst() + i * (long) answer.getStep());
              }
              return answer.getCount();
            })
        .asOurs();
  }
}
