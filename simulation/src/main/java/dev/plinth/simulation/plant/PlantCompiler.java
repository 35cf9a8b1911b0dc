package dev.plinth.simulation.plant;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the sources that a plant changes, against the class path of this JVM. */
public final class PlantCompiler {
  private static final String SOURCES = "src/main/java/";

  private final Path root;
  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
  // One for all plants: it keeps the class path's jars open.
  private final StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);

  /**
   * @param root of the repository
   */
  public PlantCompiler(Path root) {
    this.root = root;
  }

  /**
   * Puts the changed classes into a folder, which is made where it is missing. Throws a {@link
   * StalePlantException} where the plant does not apply or compile.
   */
  public synchronized void compile(Plant plant, Path folder) {
    StringWriter messages = new StringWriter();
    try {
      Files.createDirectories(folder);
      List<String> options =
          List.of(
              "-proc:none",
              "-nowarn",
              "-d",
              folder.toString(),
              "-cp",
              System.getProperty("java.class.path"));
      List<JavaFileObject> units =
          changed(plant).entrySet().stream().map(PlantCompiler::unit).toList();
      if (!compiler.getTask(messages, files, null, options, null, units).call()) {
        throw new StalePlantException(plant.name() + " does not compile:\n" + messages);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, String> changed(Plant plant) throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    for (SourceChange change : plant.changes()) {
      Path file = root.resolve(change.file());
      if (!Files.exists(file)) {
        throw new StalePlantException(change.file() + " is not there");
      }
      String before = sources.containsKey(change.file()) ? sources.get(change.file()) : "";
      String source = before.isEmpty() ? Files.readString(file) : before;
      sources.put(change.file(), change.apply(source));
    }
    return sources;
  }

  private static JavaFileObject unit(Map.Entry<String, String> source) {
    String file = source.getKey().substring(source.getKey().indexOf(SOURCES) + SOURCES.length());
    return new SimpleJavaFileObject(URI.create("plant:///" + file), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source.getValue();
      }
    };
  }
}
