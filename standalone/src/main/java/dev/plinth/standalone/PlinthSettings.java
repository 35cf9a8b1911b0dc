package dev.plinth.standalone;

import dev.plinth.server.HostSettings;
import dev.plinth.server.settings.Inline;
import dev.plinth.server.settings.Setting;
import dev.plinth.shards.ShardsSettings;
import dev.plinth.shards.store.etcd.EtcdSettings;
import java.nio.file.Path;
import java.util.Optional;

/** Everything that can be set about the one process. */
public record PlinthSettings(
    @Setting(meaning = "Folder of the embedded engines", byDefault = "plinth-data") Path dataDir,
    @Setting(
            meaning = "Where shards are kept: embedded, or etcd://host:port,...",
            byDefault = "embedded")
        String coordination,
    @Setting(
            meaning = "Name of this node as others see it; host and process if empty",
            byDefault = "")
        Optional<String> node,
    ShardsSettings shards,
    EtcdSettings etcd,
    @Inline HostSettings host) {

  public PlinthSettings {
    Coordination.parse(coordination);
  }
}
