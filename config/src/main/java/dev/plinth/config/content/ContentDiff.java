package dev.plinth.config.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plinth.config.content.ContentDifference.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

/** What is different between two contents, up to a bound. */
public final class ContentDiff {
  private static final int MAX_DIFFERENCES = 1000;
  private static final int MAX_BYTES = 1 << 20;

  private final List<ContentDifference> differences = new ArrayList<>();
  private int bytes;
  private boolean truncated;

  private ContentDiff() {}

  /** By path where both are JSON, else by line. */
  public static ContentDiff of(String typeBefore, byte[] before, String typeAfter, byte[] after) {
    ContentDiff diff = new ContentDiff();
    if (JsonText.isJson(typeBefore) && JsonText.isJson(typeAfter)) {
      diff.compare("", JsonText.parse(before), JsonText.parse(after));
    } else {
      diff.compare(lines(before), lines(after));
    }
    return diff;
  }

  public List<ContentDifference> differences() {
    return List.copyOf(differences);
  }

  /** There are more. */
  public boolean truncated() {
    return truncated;
  }

  private void add(Type type, String path, String before, String after) {
    ContentDifference difference = new ContentDifference(type, path, before, after);
    if (differences.size() == MAX_DIFFERENCES || bytes + difference.bytes() > MAX_BYTES) {
      truncated = true;
    } else {
      differences.add(difference);
      bytes += difference.bytes();
    }
  }

  private void compare(String path, JsonNode before, JsonNode after) {
    if (truncated || before.equals(after)) {
      return;
    }
    if (before.isObject() && after.isObject()) {
      TreeSet<String> names = new TreeSet<>();
      before.fieldNames().forEachRemaining(names::add);
      after.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        String escaped = name.replace("~", "~0").replace("/", "~1");
        compareParts(path + "/" + escaped, before.get(name), after.get(name));
      }
    } else if (before.isArray() && after.isArray()) {
      for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
        compareParts(path + "/" + i, before.get(i), after.get(i));
      }
    } else {
      add(Type.CHANGED, path, before.toString(), after.toString());
    }
  }

  private void compareParts(String path, JsonNode before, JsonNode after) {
    if (before == null) {
      add(Type.ADDED, path, "", after.toString());
    } else if (after == null) {
      add(Type.REMOVED, path, before.toString(), "");
    } else {
      compare(path, before, after);
    }
  }

  private static List<String> lines(byte[] text) {
    return new String(text, StandardCharsets.UTF_8).lines().toList();
  }

  /** Lines that both begin or end with are the same; of the rest, those that stand in order. */
  private void compare(List<String> before, List<String> after) {
    int head = common(before.iterator(), after.iterator());
    int most = Math.min(before.size(), after.size()) - head;
    int tail = 0;
    while (tail < most
        && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
      tail++;
    }
    LineMatch match =
        LineMatch.of(
            before.subList(head, before.size() - tail), after.subList(head, after.size() - tail));
    for (int line : match.removed()) {
      add(Type.REMOVED, String.valueOf(head + line + 1), before.get(head + line), "");
    }
    for (int line : match.added()) {
      add(Type.ADDED, String.valueOf(head + line + 1), "", after.get(head + line));
    }
  }

  private static int common(Iterator<String> one, Iterator<String> other) {
    int common = 0;
    while (one.hasNext() && other.hasNext() && one.next().equals(other.next())) {
      common++;
    }
    return common;
  }
}
