package dev.plinth.conventions;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;

/** A public method returns no null: what may be absent is an Optional, or a value of its own. */
final class NullReturnRule implements Rule {
  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (JavaFile file : repository.mainJava()) {
      new Methods(file, violations).scan(file.tree(), null);
    }
    return violations;
  }

  private final class Methods extends TreeScanner<Void, Void> {
    private final JavaFile file;
    private final List<Violation> violations;
    private ClassTree type;

    private Methods(JavaFile file, List<Violation> violations) {
      this.file = file;
      this.violations = violations;
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      ClassTree outer = type;
      type = node;
      super.visitClass(node, unused);
      type = outer;
      return null;
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      if (isPublic(node) && !isVoid(node) && Boolean.TRUE.equals(new Nulls().scan(node, null))) {
        String where = file.path() + "#" + node.getName();
        violations.add(new Violation(where, "returns null"));
      }
      return super.visitMethod(node, unused);
    }

    private boolean isPublic(MethodTree node) {
      var flags = node.getModifiers().getFlags();
      return flags.contains(Modifier.PUBLIC)
          || type.getKind() == Kind.INTERFACE && !flags.contains(Modifier.PRIVATE);
    }

    /** Of the type whose only value is null. */
    private static boolean isVoid(MethodTree node) {
      return String.valueOf(node.getReturnType()).equals("Void");
    }
  }

  /** Whether a method's own return statements have a null; those of classes and lambdas are not. */
  private static final class Nulls extends TreeScanner<Boolean, Void> {
    @Override
    public Boolean visitReturn(ReturnTree node, Void unused) {
      return isNull(node.getExpression());
    }

    private static boolean isNull(ExpressionTree expression) {
      if (expression instanceof ParenthesizedTree inner) {
        return isNull(inner.getExpression());
      }
      if (expression instanceof ConditionalExpressionTree choice) {
        return isNull(choice.getTrueExpression()) || isNull(choice.getFalseExpression());
      }
      return expression != null && expression.getKind() == Kind.NULL_LITERAL;
    }

    @Override
    public Boolean visitClass(ClassTree node, Void unused) {
      return false;
    }

    @Override
    public Boolean visitLambdaExpression(LambdaExpressionTree node, Void unused) {
      return false;
    }

    @Override
    public Boolean reduce(Boolean first, Boolean second) {
      return Boolean.TRUE.equals(first) || Boolean.TRUE.equals(second);
    }
  }
}
