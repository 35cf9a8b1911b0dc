package dev.plinth.conventions;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A Java file as the compiler's syntax tree. Names in it are not resolved. */
record JavaFile(SourceFile source, CompilationUnitTree tree) {
  static List<JavaFile> parse(List<SourceFile> sources) {
    if (sources.isEmpty()) {
      return List.of();
    }
    Map<URI, SourceFile> byUri = new LinkedHashMap<>();
    sources.forEach(source -> byUri.put(uri(source), source));
    List<Text> texts = sources.stream().map(Text::new).toList();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticListener<JavaFileObject> failing =
        diagnostic -> {
          throw new IllegalArgumentException(diagnostic.toString());
        };
    JavacTask task = (JavacTask) compiler.getTask(null, null, failing, List.of(), null, texts);
    List<JavaFile> files = new ArrayList<>();
    try {
      for (CompilationUnitTree tree : task.parse()) {
        files.add(new JavaFile(byUri.get(tree.getSourceFile().toUri()), tree));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  private static URI uri(SourceFile source) {
    return URI.create("string:///" + source.path());
  }

  String path() {
    return source.path();
  }

  String packageName() {
    return tree.getPackageName() == null ? "" : tree.getPackageName().toString();
  }

  /** What is imported, and every dotted name in the code, which may begin with a package. */
  Set<String> dottedNames() {
    Set<String> names = new LinkedHashSet<>();
    TreeScanner<Void, Void> scanner =
        new TreeScanner<>() {
          @Override
          public Void visitImport(ImportTree node, Void unused) {
            names.add(node.getQualifiedIdentifier().toString());
            return null;
          }

          @Override
          public Void visitMemberSelect(MemberSelectTree node, Void unused) {
            String name = node.toString();
            if (name.matches("[\\w.]+")) {
              names.add(name);
              return null;
            }
            return super.visitMemberSelect(node, unused);
          }
        };
    scanner.scan(tree.getImports(), null);
    scanner.scan(tree.getTypeDecls(), null);
    return names;
  }

  private static final class Text extends SimpleJavaFileObject {
    private final SourceFile source;

    private Text(SourceFile source) {
      super(uri(source), JavaFileObject.Kind.SOURCE);
      this.source = source;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source.text();
    }
  }
}
