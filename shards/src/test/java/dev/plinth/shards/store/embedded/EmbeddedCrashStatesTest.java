package dev.plinth.shards.store.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plinth.server.failure.Failure.StoreUnavailable;
import dev.plinth.shards.store.OwnedShard;
import dev.plinth.shards.store.embedded.CrashState.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Reopens the store on what a crash or a damage may leave: all that was acknowledged is there, or
 * the start is refused. A folder that was lost in silence is kept in build/crash-states.
 */
class EmbeddedCrashStatesTest {
  private static final int STATES_OF_A_RUN = 400;
  private static final String LOST = "LOST";
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Map<Kind, Map<String, Integer>> figures = new EnumMap<>(Kind.class);
  private final List<String> failures = new ArrayList<>();
  private Path parent;

  @BeforeEach
  void makeFolder() throws IOException {
    Path memory = Path.of("/dev/shm");
    parent =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "crash-states")
            : Files.createTempDirectory("crash-states");
  }

  @AfterEach
  void deleteFolder() throws IOException {
    delete(parent);
  }

  @Test
  void someStates_loseNothingInSilence() throws IOException {
    reopen(300, 1);
  }

  @Test
  @Tag("crashStates")
  void manyStates_loseNothingInSilence() throws IOException {
    reopen(Integer.getInteger("states"), Long.getLong("seed"));
  }

  private void reopen(int states, long firstSeed) throws IOException {
    long seed = firstSeed;
    Kind[] kinds = Kind.values();
    RecordedRun run = null;
    CrashStates made = null;
    for (int i = 0; i < states; i++) {
      if (i % STATES_OF_A_RUN == 0) {
        seed = firstSeed + i / STATES_OF_A_RUN;
        run = RecordedRun.record(parent.resolve("run" + seed), seed);
        made = new CrashStates(run, new Random(seed));
      }
      check(run, made.next(kinds[i % kinds.length]), "seed " + seed + ", state " + i);
    }
    figures.forEach((kind, counts) -> System.out.println(kind + " " + counts));
    assertEquals(List.of(), failures);
  }

  private void check(RecordedRun run, CrashState state, String name) throws IOException {
    Path folder = parent.resolve("state");
    state.folder().writeTo(folder);
    String outcome =
        assertTimeoutPreemptively(LONGEST, () -> outcome(run, state, folder), name + " hangs");
    figures
        .computeIfAbsent(state.kind(), k -> new TreeMap<>())
        .merge(outcome.split(":")[0], 1, Integer::sum);
    if (outcome.startsWith(LOST)) {
      Path kept = Path.of("build/crash-states").resolve(name.replaceAll("\\W+", "-"));
      delete(kept);
      state.folder().writeTo(kept);
      failures.add(
          "%s (%s %s, in %s): %s".formatted(name, state.kind(), state.what(), kept, outcome));
      System.out.println(failures.get(failures.size() - 1));
    }
    delete(folder);
  }

  private static String outcome(RecordedRun run, CrashState state, Path folder) {
    try {
      Optional<String> wrong = wrong(run, state, folder);
      if (wrong.isEmpty() && state.kind().isLawful()) {
        wrong = wrong(run, state, folder).map(then -> "at the second start: " + then);
      }
      return wrong.map(what -> LOST + ": " + what).orElse("all there");
    } catch (StoreUnavailable e) {
      return refused(run, state, folder, e.getMessage());
    } catch (RuntimeException e) {
      return LOST + ": " + e;
    }
  }

  private static Optional<String> wrong(RecordedRun run, CrashState state, Path folder) {
    try (EmbeddedShardStore store = run.open(folder)) {
      return IntStream.range(0, RecordedRun.SHARDS)
          .mapToObj(store::claim)
          .map(shard -> wrong(run, state, shard.orElseThrow()))
          .flatMap(Optional::stream)
          .findFirst();
    }
  }

  private static Optional<String> wrong(RecordedRun run, CrashState state, OwnedShard shard) {
    return run.history().wrong(shard, state.acknowledged(), state.sent());
  }

  private static String refused(RecordedRun run, CrashState state, Path folder, String why) {
    if (state.kind().isLawful()) {
      return LOST + ": refused: " + why;
    }
    if (!why.contains(folder.toString())
        || !why.contains("--shards.generation") && !why.contains("delete it")) {
      return LOST + ": refused, but not told what to do: " + why;
    }
    try {
      run.open(folder).close();
      return LOST + ": refused, then opened: " + why;
    } catch (StoreUnavailable e) {
      return "refused";
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
