package dev.plinth.config.content;

import java.util.ArrayList;
import java.util.List;

/**
 * Lines of two texts that have no partner in the other, in order. Texts that are too long to be
 * compared line by line have none in common.
 */
record LineMatch(List<Integer> removed, List<Integer> added) {
  // Cells of the table of common lengths.
  private static final long MAX_CELLS = 1_000_000;

  static LineMatch of(List<String> before, List<String> after) {
    LineMatch match = new LineMatch(new ArrayList<>(), new ArrayList<>());
    boolean comparable = (long) (before.size() + 1) * (after.size() + 1) <= MAX_CELLS;
    int[][] common = comparable ? commonLengths(before, after) : null;
    int i = 0;
    int j = 0;
    while (i < before.size() || j < after.size()) {
      if (i == before.size()) {
        match.added.add(j++);
      } else if (j == after.size()) {
        match.removed.add(i++);
      } else if (comparable && before.get(i).equals(after.get(j))) {
        i++;
        j++;
      } else if (!comparable || common[i + 1][j] >= common[i][j + 1]) {
        match.removed.add(i++);
      } else {
        match.added.add(j++);
      }
    }
    return match;
  }

  /** How many lines the rest behind each pair has in common. */
  private static int[][] commonLengths(List<String> before, List<String> after) {
    int[][] common = new int[before.size() + 1][after.size() + 1];
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = after.size() - 1; j >= 0; j--) {
        common[i][j] =
            before.get(i).equals(after.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }
}
