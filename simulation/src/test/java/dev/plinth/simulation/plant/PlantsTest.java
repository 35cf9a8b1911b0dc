package dev.plinth.simulation.plant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlantsTest {
  private static final Path ROOT = Path.of(System.getProperty("plinth.root"));
  private static final List<Plant> PLANTS =
      Stream.of("simulation/plants", "simulation/plants/open")
          .flatMap(folder -> Plant.allOf(ROOT.resolve(folder)).stream())
          .toList();
  private static final PlantCompiler COMPILER = new PlantCompiler(ROOT);
  private static final int FEW_SEEDS = 5;

  static Stream<String> names() {
    return PLANTS.stream().map(Plant::name);
  }

  private static Plant plant(String name) {
    return PLANTS.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("names")
  void aPlant_appliesAndCompiles(String name, @TempDir Path folder) {
    COMPILER.compile(plant(name), folder);
  }

  @ParameterizedTest
  @ValueSource(strings = {"answer-before-commit", "token-not-compared"})
  void aCheapPlant_isFound(String name, @TempDir Path folder) {
    PlantResult result = new Planter(ROOT, folder, 0).run(plant(name), 1, FEW_SEEDS);
    assertTrue(result.found(), result.toString());
  }

  @Test
  void aPlantOfOtherCode_isStale(@TempDir Path folder) {
    String file = "simulation/src/main/java/dev/plinth/simulation/SimulationMain.java";
    Plant gone = Plant.parse("gone", text(file, "no such text"));
    Plant often = Plant.parse("often", text(file, "import"));
    assertThrows(StalePlantException.class, () -> COMPILER.compile(gone, folder));
    assertThrows(StalePlantException.class, () -> COMPILER.compile(often, folder));
    PlantResult result = new Planter(ROOT, folder, 0).run(gone, 1, 1);
    assertTrue(!result.found() && result.checker().startsWith("stale"), result.toString());
  }

  @Test
  void aFile_mayHaveSeveralChanges() {
    Plant plant =
        Plant.parse("two", text("a", "x\n  y") + text("b", "z").substring("what: slip\n".length()));
    assertEquals(
        List.of(new SourceChange("a", "x\n  y", "other"), new SourceChange("b", "z", "other")),
        plant.changes());
    assertEquals("slip", plant.what());
  }

  private static String text(String file, String find) {
    return "what: slip\nfile: %s\nfind:\n%s\nreplace:\nother\n".formatted(file, find);
  }
}
