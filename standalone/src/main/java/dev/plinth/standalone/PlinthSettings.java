package dev.plinth.standalone;

import dev.plinth.ratelimit.RateLimitSettings;
import dev.plinth.ratelimit.store.redis.RedisAddress;
import dev.plinth.ratelimit.store.redis.RedisSettings;
import dev.plinth.server.HostSettings;
import dev.plinth.server.settings.Inline;
import dev.plinth.server.settings.Setting;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.etcd.EtcdSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Everything that can be set about the one process. */
public record PlinthSettings(
    @Inline EngineSettings engines,
    @Inline NodeSettings node,
    ShardsSettings shards,
    EtcdSettings etcd,
    RateLimitSettings rateLimit,
    RedisSettings redis,
    @Inline HostSettings host) {

  /** Where data is kept. */
  public record EngineSettings(
      @Setting(
              meaning =
                  "Folder of the embedded engines; on etcd, of the file that notes how far it was",
              byDefault = "plinth-data")
          Path dataDir,
      @Setting(
              meaning = "Where shards are kept: embedded, or etcd://host:port,...",
              byDefault = "embedded")
          String coordination,
      @Setting(
              meaning =
                  "Where the budgets of rate limits are kept: embedded, " + RedisAddress.FORMS,
              byDefault = "embedded")
          String budgets) {

    public EngineSettings {
      CoordinationTarget.parse(coordination);
      BudgetStoreFactory.check(budgets);
    }
  }

  /** This process as one of several. */
  public record NodeSettings(
      @Setting(
              meaning = "Name of this node as others see it; host and process if empty",
              byDefault = "")
          Optional<String> node,
      @Setting(
              meaning =
                  "Where other nodes reach this one, host:port; if empty, what it is bound to, or"
                      + " the host's name",
              byDefault = "")
          Optional<String> advertise,
      @Setting(
              meaning =
                  "File in which this node notes how far shards were, to notice a store that was"
                      + " restored from a backup; a file in data-dir if empty",
              byDefault = "")
          Optional<Path> witness) {

    public NodeSettings {
      AdvertisedAddress.check(advertise);
    }
  }
}
