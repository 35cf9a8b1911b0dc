package dev.plinth.standalone;

import dev.plinth.server.HostSettings;
import dev.plinth.server.settings.Inline;
import dev.plinth.server.settings.Setting;
import dev.plinth.shards.ShardsSettings;
import java.nio.file.Path;

/** Everything that can be set about the one process. */
public record PlinthSettings(
    @Setting(meaning = "Folder of the embedded engines", byDefault = "plinth-data") Path dataDir,
    ShardsSettings shards,
    @Inline HostSettings host) {}
