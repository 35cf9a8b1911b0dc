package dev.plinth.server.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a mistyped one most likely meant. */
final class SpellingSuggestion {
  private SpellingSuggestion() {}

  /** Empty where nothing is near: a wild guess helps less than none. */
  static Optional<String> of(String typed, Collection<String> known) {
    return known.stream()
        .sorted()
        .min(Comparator.comparingInt(name -> edits(typed, name)))
        .filter(name -> edits(typed, name) <= Math.max(2, name.length() / 3));
  }

  /** Levenshtein's distance, row by row. */
  private static int edits(String a, String b) {
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[b.length()];
  }
}
