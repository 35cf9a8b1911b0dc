package dev.plinth.conventions;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;

/** A record has at most eight components: callers do not tell more of them apart by position. */
final class RecordSizeRule implements Rule {
  private static final int MAX_COMPONENTS = 8;

  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (JavaFile file : repository.mainJava()) {
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitClass(ClassTree node, Void unused) {
          if (node.getKind() == Kind.RECORD && components(node) > MAX_COMPONENTS) {
            String where = file.path() + "#" + node.getSimpleName();
            String what = "has " + components(node) + " components";
            violations.add(new Violation(where, what));
          }
          return super.visitClass(node, unused);
        }
      }.scan(file.tree(), null);
    }
    return violations;
  }

  /** The only fields of a record that are not static. */
  private static long components(ClassTree node) {
    return node.getMembers().stream()
        .filter(VariableTree.class::isInstance)
        .map(VariableTree.class::cast)
        .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
        .count();
  }
}
