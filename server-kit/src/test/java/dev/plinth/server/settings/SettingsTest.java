package dev.plinth.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
  public record Sample(
      @Setting(meaning = "A port", byDefault = "7450") int port,
      @Setting(meaning = "A switch", byDefault = "false") boolean verbose,
      @Setting(meaning = "A name", byDefault = "") Optional<String> name,
      @Setting(meaning = "Some hosts", byDefault = "a,b") List<String> hosts,
      @Setting(meaning = "A password", byDefault = "") Optional<Secret> passwordFile,
      Inner inner,
      @Inline Flat flat) {
    public Sample {
      InvalidSettingException.unlessBetween("port", port, 0, 65535);
    }
  }

  public record Inner(
      @Setting(meaning = "How long", byDefault = "15s") Duration sessionTtl,
      @Setting(meaning = "How large", byDefault = "4MiB") ByteSize maxSize,
      @Setting(meaning = "How many", byDefault = "7") long count) {
    public Inner {
      InvalidSettingException.unlessBetween(
          "sessionTtl", sessionTtl, Duration.ofSeconds(1), Duration.ofMinutes(1));
    }
  }

  public record Flat(
      @Setting(meaning = "Which way", byDefault = "left-turn") Turn turn,
      @Setting(meaning = "Where", byDefault = "data") Path directory) {}

  public enum Turn {
    LEFT_TURN,
    RIGHT_TURN
  }

  @TempDir Path directory;

  @Test
  void nothingGiven_allIsDefault() throws SettingsRefusedException {
    Sample sample = read().value();
    assertEquals(7450, sample.port());
    assertFalse(sample.verbose());
    assertEquals(Optional.empty(), sample.name());
    assertEquals(List.of("a", "b"), sample.hosts());
    assertEquals(Duration.ofSeconds(15), sample.inner().sessionTtl());
    assertEquals(new ByteSize(4 << 20), sample.inner().maxSize());
    assertEquals(Turn.LEFT_TURN, sample.flat().turn());
    assertEquals(Path.of("data"), sample.flat().directory());
    assertEquals("", read().printGiven());
  }

  @Test
  void flag_beatsEnvironment_beatsFile_beatsDefault() throws Exception {
    Path file = file("port=1\ninner.count=1\ninner.session-ttl=2s\n");
    Map<String, String> env = Map.of("PLINTH_PORT", "2", "PLINTH_INNER_COUNT", "2");
    Settings<Sample> settings =
        Settings.read(Sample.class, List.of("--port=3", "--config=" + file), env);
    assertEquals(3, settings.value().port());
    assertEquals(2, settings.value().inner().count());
    assertEquals(Duration.ofSeconds(2), settings.value().inner().sessionTtl());
    assertEquals(
        List.of(
            "port 3 flag --port",
            "inner.session-ttl 2s file " + file,
            "inner.count 2 env PLINTH_INNER_COUNT"),
        settings.printGiven().lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
  }

  @Test
  void configFile_canComeFromTheEnvironment() throws Exception {
    Path file = file("turn=right-turn\n");
    Settings<Sample> settings =
        Settings.read(Sample.class, List.of(), Map.of("PLINTH_CONFIG", file.toString()));
    assertEquals(Turn.RIGHT_TURN, settings.value().flat().turn());
  }

  @Test
  void flags_takeTheirValueAfterEqualsOrAfterASpace() throws SettingsRefusedException {
    Sample sample = read("--port", "5", "--verbose", "--name=x=y", "--hosts", "c, d").value();
    assertEquals(5, sample.port());
    assertTrue(sample.verbose());
    assertEquals(Optional.of("x=y"), sample.name());
    assertEquals(List.of("c", "d"), sample.hosts());
    assertFalse(read("--verbose", "false").value().verbose());
  }

  @Test
  void unknownFlag_namesTheNearest() {
    assertEquals("unknown flag --prot; did you mean --port?", refusal("--prot=1"));
    assertEquals(
        "unknown flag --inner.session-tll; did you mean --inner.session-ttl?",
        refusal("--inner.session-tll", "5s"));
    assertEquals("unknown flag --zzzzzzzzzz", refusal("--zzzzzzzzzz"));
  }

  @Test
  void unknownVariable_namesTheNearest_andOthersAreNotOurs() throws SettingsRefusedException {
    SettingsRefusedException refused =
        assertThrows(
            SettingsRefusedException.class,
            () -> Settings.read(Sample.class, List.of(), Map.of("PLINTH_PROT", "1", "PATH", "/")));
    assertEquals(
        "unknown environment variable PLINTH_PROT; did you mean PLINTH_PORT?",
        refused.getMessage());
  }

  @Test
  void unknownKeyInAFile_namesFileAndNearest() throws Exception {
    Path file = file("inner.cuont=1\n");
    assertEquals(
        "unknown key inner.cuont in " + file + "; did you mean inner.count?",
        refusal("--config=" + file));
  }

  @Test
  void fileThatIsNotThere_isRefused() {
    assertTrue(refusal("--config=/nowhere").startsWith("config: cannot read /nowhere"));
  }

  @ParameterizedTest
  @CsvSource({
    "port, x, a whole number",
    "port, 99999999999, a whole number",
    "verbose, maybe, true or false",
    "inner.session-ttl, 15, 'a duration such as 200ms, 15s, 5m, 1h or 1d'",
    "inner.session-ttl, -1s, 'a duration such as 200ms, 15s, 5m, 1h or 1d'",
    "inner.max-size, 4MB, a size such as 64KiB or 4MiB",
    "turn, up, left-turn|right-turn",
    "password-file, /nowhere, a file that can be read",
  })
  void badValue_saysWhatWasExpected(String key, String value, String expected) {
    assertEquals(
        key + ": " + value + " (expected: " + expected + "), from flag --" + key,
        refusal("--" + key + "=" + value));
  }

  @Test
  void valueThatTheRecordRefuses_isNamedByItsFullKey() {
    assertEquals(
        "inner.session-ttl: 2m (expected: 1s..1m), from flag --inner.session-ttl",
        refusal("--inner.session-ttl=2m"));
    assertEquals("port: 65536 (expected: 0..65535), from flag --port", refusal("--port=65536"));
  }

  @Test
  void severalProblems_areToldAtOnce() {
    assertEquals(3, refusal("--prot=1", "--inner.count=x", "stray").lines().count());
  }

  @Test
  void flagWithoutValue_isRefused() {
    assertEquals("flag --port needs a value (--port=N)", refusal("--port"));
  }

  @Test
  void secret_isKnownOnlyByItsFile() throws Exception {
    Path file = file("hunter2\n");
    Settings<Sample> settings = read("--password-file=" + file);
    assertEquals("hunter2", settings.value().passwordFile().orElseThrow().reveal());
    assertFalse(settings.print().contains("hunter2"));
    assertTrue(settings.print().contains(file.toString()));
  }

  @Test
  void help_listsEverySettingWithFormDefaultAndMeaning() {
    String help = Settings.help(Sample.class);
    for (SettingKey key : SettingKey.of(Sample.class)) {
      String line =
          help.lines().filter(l -> l.strip().startsWith(key.flag() + "=")).findFirst().orElse("");
      assertTrue(line.contains(key.meaning()), key.key());
      assertTrue(line.contains(key.byDefault()), key.key());
    }
  }

  @Test
  void printedValues_readBackAsThemselves() throws Exception {
    StringBuilder text = new StringBuilder();
    for (String line : read("--name=x").print().lines().toList()) {
      String[] parts = line.strip().split(" {2,}");
      text.append(parts.length > 2 ? parts[0] + "=" + parts[1] + "\n" : "");
    }
    Path file = file(text.toString());
    assertEquals(read("--name=x").value(), read("--config=" + file).value());
  }

  private static Settings<Sample> read(String... flags) throws SettingsRefusedException {
    return Settings.read(Sample.class, List.of(flags), Map.of());
  }

  private static String refusal(String... flags) {
    return assertThrows(SettingsRefusedException.class, () -> read(flags)).getMessage();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("some.properties"), text);
  }
}
