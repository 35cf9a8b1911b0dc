package dev.plinth.ratelimit.store.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://localhost:6379 | SERVER | false | localhost:6379",
        "rediss://redis.example.com:6380/3 | SERVER | true | redis.example.com:6380",
        "redis-sentinel://a:26379,b:26379/1#main | SENTINEL | false | main of sentinels"
            + " a:26379,b:26379",
        "rediss-sentinel://a:26379#main | SENTINEL | true | main of sentinels a:26379",
        "redis-cluster://a:7000,b:7001 | CLUSTER | false | 'cluster a:7000,b:7001'",
        "rediss-cluster://a:7000 | CLUSTER | true | cluster a:7000"
      })
  void parse_readsEveryForm(String text, RedisAddress.Kind kind, boolean tls, String shown) {
    RedisAddress address = RedisAddress.parse(text).orElseThrow();
    assertEquals(kind, address.kind());
    assertEquals(tls, address.tls());
    assertEquals(shown, address.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://a",
        "redis://a:1,b:2",
        "redis://a:1#main",
        "redis://user:secret@a:1",
        "redis-sentinel://a:1",
        "redis-cluster://a:1/2",
        "redis-cluster://a:1#main",
        "http://a:1",
        ""
      })
  void parse_refusesWhatIsNone(String text) {
    assertEquals(Optional.empty(), RedisAddress.parse(text));
  }
}
