package dev.plinth.simulation.plant;

import dev.plinth.simulation.workload.WorkloadKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One fault, as a text file tells it:
 *
 * <pre>
 * what: one sentence
 * audit: yes, for one of the faults that the audit found
 * workload: whose runs find it; leases if it does not say
 * file: path from the root of the repository
 * find:
 *     lines that are in the file exactly once
 * replace:
 *     lines that take their place
 * </pre>
 *
 * More changes follow as further parts that begin with {@code file:}. Lines are taken as they are,
 * white space included.
 *
 * @param name of the text file, without its ending
 * @param what is wrong with the code then
 * @param audit whether it is one of those that the audit found
 * @param workload whose runs find it
 */
public record Plant(
    String name, String what, boolean audit, WorkloadKind workload, List<SourceChange> changes) {
  private static final String ENDING = ".plant";
  private static final String WHAT = "what: ";
  private static final String AUDIT = "audit: yes";
  private static final String WORKLOAD = "workload: ";
  private static final String FILE = "file: ";
  private static final String FIND = "find:";
  private static final String REPLACE = "replace:";

  /** All plants of a folder, by name. */
  public static List<Plant> allOf(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(ENDING))
          .sorted()
          .map(Plant::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Plant read(Path file) {
    String name = file.getFileName().toString().replace(ENDING, "");
    try {
      return parse(name, Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Plant parse(String name, String text) {
    int first = text.indexOf(FILE);
    if (!text.startsWith(WHAT) || first < 0) {
      throw new IllegalArgumentException(name + " does not begin with what: and file:");
    }
    List<String> head = text.substring(0, first).lines().toList();
    List<SourceChange> changes = new ArrayList<>();
    for (String part : text.substring(first).split("(?m)^(?=" + FILE + ")")) {
      changes.add(change(name, part));
    }
    return new Plant(
        name,
        head.get(0).substring(WHAT.length()),
        head.contains(AUDIT),
        workload(head),
        List.copyOf(changes));
  }

  private static WorkloadKind workload(List<String> head) {
    return head.stream()
        .filter(line -> line.startsWith(WORKLOAD))
        .map(line -> WorkloadKind.named(line.substring(WORKLOAD.length()).strip()))
        .findFirst()
        .orElse(WorkloadKind.LEASES);
  }

  private static SourceChange change(String name, String part) {
    List<String> lines = part.lines().toList();
    int find = lines.indexOf(FIND);
    int replace = lines.indexOf(REPLACE);
    if (find != 1 || replace <= find + 1) {
      throw new IllegalArgumentException(name + ": after file: come find: and replace:");
    }
    return new SourceChange(
        lines.get(0).substring(FILE.length()).strip(),
        String.join("\n", lines.subList(find + 1, replace)),
        String.join("\n", lines.subList(replace + 1, lines.size())));
  }
}
