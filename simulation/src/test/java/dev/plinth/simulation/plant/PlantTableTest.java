package dev.plinth.simulation.plant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.simulation.workload.WorkloadKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlantTableTest {
  private static final String PAGE =
      """
      # Page

      <!-- plants -->
      | plant | what | found after seeds | checker | shrunk to |
      |---|---|---|---|---|
      | a (audit) | A. | not in 9 | not found |  |
      | c | C. | 7 | one |  |
      <!-- /plants -->
      after
      """;

  private static PlantResult result(String name, boolean audit, long seeds) {
    Plant plant = new Plant(name, name.toUpperCase() + ".", audit, WorkloadKind.LEASES, List.of());
    return new PlantResult(plant, true, seeds, seeds, "two", "3 operations, 1 faults");
  }

  @Test
  void results_takeTheRowsOfTheirPlants_andOthersStay() {
    PlantTable table =
        PlantTable.in(PAGE).with(List.of(result("b", false, 2), result("a", true, 30)));
    assertEquals(
        """
        # Page

        <!-- plants -->
        | plant | what | found after seeds | checker | shrunk to |
        |---|---|---|---|---|
        | a (audit) | A. | 30 | two | 3 operations, 1 faults |
        | b | B. | 2 | two | 3 operations, 1 faults |
        | c | C. | 7 | one |  |
        <!-- /plants -->
        after
        """,
        table.page());
    assertEquals("3 of 3 found, median 7 seeds, at most 30", table.summary());
  }

  @Test
  void aPlantThatWasNotFound_isCountedAsSuch() {
    assertEquals("1 of 2 found, median 7 seeds, at most 7", PlantTable.in(PAGE).summary());
  }

  @Test
  void aPageWithoutThePart_isRefused() {
    assertThrows(IllegalStateException.class, () -> PlantTable.in("# Page\n"));
  }
}
