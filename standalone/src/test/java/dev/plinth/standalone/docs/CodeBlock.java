package dev.plinth.standalone.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One fenced block of a Markdown document.
 *
 * @param line number of its first line, from 1
 */
record CodeBlock(String language, String text, int line) {
  private static final String FENCE = "```";

  static List<CodeBlock> of(Path document) throws IOException {
    List<CodeBlock> blocks = new ArrayList<>();
    List<String> lines = Files.readAllLines(document);
    int i = 0;
    while (i < lines.size()) {
      if (lines.get(i).startsWith(FENCE)) {
        int end = i + 1;
        while (!lines.get(end).equals(FENCE)) {
          end++;
        }
        String language = lines.get(i).substring(FENCE.length());
        blocks.add(new CodeBlock(language, String.join("\n", lines.subList(i + 1, end)), i + 2));
        i = end;
      }
      i++;
    }
    return blocks;
  }

  /** Whether it shows what the block before it prints. */
  boolean isAnswer() {
    return language.equals("json") || language.equals("text");
  }

  /** The commands of a shell block, with continued lines joined and comments removed. */
  List<String> commands() {
    List<String> commands = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    for (String line : text.split("\n")) {
      command.append(line.strip());
      if (isOpen(command)) {
        command.append(' ');
      } else if (command.charAt(command.length() - 1) == '\\') {
        command.setCharAt(command.length() - 1, ' ');
      } else {
        commands.add(command.toString().replaceAll("\\s+#[^']*$", "").replaceAll(" {2,}", " "));
        command.setLength(0);
      }
    }
    return commands;
  }

  /** Whether a quoted argument goes on in the next line. */
  private static boolean isOpen(CharSequence command) {
    return command.chars().filter(c -> c == '\'').count() % 2 != 0;
  }
}
