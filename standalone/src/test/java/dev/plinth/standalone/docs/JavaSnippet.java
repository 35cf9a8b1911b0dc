package dev.plinth.standalone.docs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Compiles the statements of a document with the client's packages imported, and runs them. */
final class JavaSnippet {
  private static final String CLIENT = "client/src/main/java";

  private final Path root;
  private final Path directory;

  JavaSnippet(Path root, Path directory) {
    this.root = root;
    this.directory = directory;
  }

  /** What the statements print. */
  String run(String statements, int port) throws Exception {
    Path source = directory.resolve("Snippet.java");
    String target = "\"localhost:" + port + '"';
    Files.writeString(
        source,
        imports()
            + "public class Snippet {\n  public static void run() throws Exception {\n"
            + statements.replace("\"localhost:7450\"", target)
            + "\n  }\n}\n");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                messages,
                messages,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
    assertTrue(code == 0, messages.toString(StandardCharsets.UTF_8) + statements);
    return printed();
  }

  private String printed() throws Exception {
    PrintStream standardOut = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    URL[] classes = {directory.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classes)) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass("Snippet").getMethod("run").invoke(null);
    } finally {
      System.setOut(standardOut);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  /** Every package of the client, wherever its classes are. */
  private String imports() throws IOException {
    Path sources = root.resolve(CLIENT);
    try (Stream<Path> files = Files.walk(sources)) {
      Stream<String> packages =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .map(file -> sources.relativize(file.getParent()).toString().replace('/', '.'))
              .distinct();
      return Stream.concat(packages, List.of("java.time", "java.util").stream())
          .map(name -> "import " + name + ".*;\n")
          .collect(Collectors.joining());
    }
  }
}
