package dev.plinth.conventions;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.lang.model.element.Modifier;

/** A public type has a name that no other public type of the repository has. */
final class UniqueTypeNameRule implements Rule {
  @Override
  public List<Violation> check(Repository repository) {
    Map<String, List<String>> packages = new TreeMap<>();
    for (JavaFile file : repository.mainJava()) {
      for (Tree type : file.tree().getTypeDecls()) {
        if (type instanceof ClassTree declared
            && declared.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
          packages
              .computeIfAbsent(declared.getSimpleName().toString(), name -> new ArrayList<>())
              .add(file.packageName());
        }
      }
    }
    packages.values().removeIf(where -> where.size() == 1);
    List<Violation> violations = new ArrayList<>();
    packages.forEach((name, where) -> violations.add(new Violation(name, "in " + where)));
    return violations;
  }
}
