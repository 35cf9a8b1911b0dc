package dev.plinth.bench.limits;

import dev.plinth.ratelimit.store.BudgetStore;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A process's connections, opened once for all its cases. */
final class Clients {
  private final RedissonClient redisson;
  private final StatefulRedisConnection<String, byte[]> bytes;
  private final StatefulRedisConnection<String, String> strings;
  private final ManagedChannel channel;
  private final String plinth;
  private final BudgetStore budgets;

  Clients(String redis, String plinth) {
    Config config = new Config();
    config.useSingleServer().setAddress(redis);
    redisson = Redisson.create(config);
    RedisClient lettuce = RedisClient.create(redis);
    bytes = lettuce.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    strings = lettuce.connect();
    this.plinth = plinth;
    channel = ManagedChannelBuilder.forTarget(plinth).usePlaintext().build();
    budgets = LimitServer.budgets(redis);
  }

  RedissonClient redisson() {
    return redisson;
  }

  StatefulRedisConnection<String, byte[]> bytes() {
    return bytes;
  }

  StatefulRedisConnection<String, String> strings() {
    return strings;
  }

  ManagedChannel channel() {
    return channel;
  }

  String plinth() {
    return plinth;
  }

  BudgetStore budgets() {
    return budgets;
  }
}
