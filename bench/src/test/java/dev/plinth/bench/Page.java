package dev.plinth.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of the documents, of which a bench writes the parts between its marks. */
public final class Page {
  private final Path file;

  /** In the folder of documents. */
  public Page(String name) {
    file = Path.of(System.getProperty("plinth.root"), "docs", name);
  }

  /** Replaces what stands between {@code <!-- part -->} and {@code <!-- /part -->}. */
  public void put(String part, Table table) throws IOException {
    if (!Pace.full() || !Chosen.all()) {
      System.out.println("not the whole run: " + part + " stays in " + file.getFileName());
      return;
    }
    String text = Files.readString(file);
    String mark = "<!-- " + part + " -->\n";
    int from = text.indexOf(mark);
    int to = text.indexOf("<!-- /" + part + " -->");
    if (from < 0 || to < from) {
      throw new IllegalStateException(file + " has no part " + part);
    }
    Files.writeString(file, text.substring(0, from) + mark + table + text.substring(to));
  }
}
