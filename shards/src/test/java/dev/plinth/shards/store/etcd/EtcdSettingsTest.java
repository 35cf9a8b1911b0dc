package dev.plinth.shards.store.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.server.settings.Settings;
import dev.plinth.server.settings.SettingsRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EtcdSettingsTest {
  @Test
  void defaults_areTaken() throws SettingsRefusedException {
    EtcdSettings settings = Settings.read(EtcdSettings.class, List.of(), Map.of()).value();
    assertEquals("/plinth/", settings.prefix());
    assertEquals(Duration.ofSeconds(2), settings.sessionTtl());
    assertEquals(Duration.ofMillis(200), settings.authorityMargin());
    assertEquals(2, settings.commitsInFlight());
  }

  @Test
  void valuesThatEtcdOrAuthorityForbid_areRefused() {
    assertRefused("--session-ttl=1s", "2s..10m");
    assertRefused("--session-ttl=2500ms", "whole seconds");
    assertRefused("--authority-margin=2s", "100ms..1s");
    assertRefused("--request-timeout=3s", "50ms..2s");
    assertRefused("--prefix=/plinth", "ends in /");
    assertRefused("--compaction-interval=10ms", "1s..1d");
  }

  private static void assertRefused(String flag, String expected) {
    SettingsRefusedException refused =
        assertThrows(
            SettingsRefusedException.class,
            () -> Settings.read(EtcdSettings.class, List.of(flag), Map.of()));
    assertTrue(refused.getMessage().contains(expected), refused.getMessage());
  }
}
