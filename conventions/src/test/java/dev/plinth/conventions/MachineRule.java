package dev.plinth.conventions;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Clocks, threads, waits and chance come from the machine that a part is given. A part that reads a
 * clock by itself cannot be run in a simulation, and nobody would notice.
 */
final class MachineRule implements Rule {
  private static final Set<String> MODULES =
      Set.of(
          "client",
          "server-kit",
          "shards",
          "lease-service",
          "id-allocator",
          "rate-limiter",
          "standalone");

  /** Files that may, and why. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "server-kit/src/main/java/dev/plinth/server/Launcher.java",
          "starts and ends the process: a simulation has none",
          "rate-limiter/src/main/java/dev/plinth/ratelimit/store/embedded/CheckpointWriter.java",
          "gives way to whoever waits for a lock, which takes no time that anything depends on",
          "rate-limiter/src/main/java/dev/plinth/ratelimit/store/embedded/EmbeddedDomain.java",
          "gives way to whoever waits for a lock, which takes no time that anything depends on");

  /** Types of which nothing may be used. */
  private static final Set<String> TYPES =
      Set.of("Executors", "LockSupport", "ThreadLocalRandom", "Clock", "ForkJoinPool");

  private static final Set<String> MEMBERS =
      Set.of(
          "System.nanoTime",
          "System.currentTimeMillis",
          "Instant.now",
          "InstantSource.system",
          "TimeSource.system",
          "Deadline.getSystemTicker",
          "Thread.sleep",
          "UUID.randomUUID",
          "Math.random",
          "RandomGenerator.getDefault",
          "RandomGenerator.of",
          "CompletableFuture.delayedExecutor");

  private static final Set<String> CONSTRUCTORS =
      Set.of(
          "Thread",
          "Random",
          "SecureRandom",
          "SplittableRandom",
          "ThreadPoolExecutor",
          "ScheduledThreadPoolExecutor",
          "CountDownLatch",
          "ArrayBlockingQueue",
          "LinkedBlockingQueue");

  /**
   * Methods of futures, with so many arguments that the JDK's own threads are used, or none ends.
   */
  private static final Map<String, Integer> CALLS =
      Map.ofEntries(
          Map.entry("join", 0),
          Map.entry("orTimeout", 2),
          Map.entry("completeOnTimeout", 3),
          Map.entry("supplyAsync", 1),
          Map.entry("runAsync", 1),
          Map.entry("completeAsync", 1),
          Map.entry("thenApplyAsync", 1),
          Map.entry("thenAcceptAsync", 1),
          Map.entry("thenRunAsync", 1),
          Map.entry("thenComposeAsync", 1),
          Map.entry("handleAsync", 1),
          Map.entry("whenCompleteAsync", 1),
          Map.entry("exceptionallyAsync", 1),
          Map.entry("exceptionallyComposeAsync", 1),
          Map.entry("thenCombineAsync", 2),
          Map.entry("thenAcceptBothAsync", 2),
          Map.entry("runAfterBothAsync", 2),
          Map.entry("applyToEitherAsync", 2),
          Map.entry("acceptEitherAsync", 2),
          Map.entry("runAfterEitherAsync", 2));

  @Override
  public List<Violation> check(Repository repository) {
    List<Violation> violations = new ArrayList<>();
    for (JavaFile file : repository.mainJava()) {
      if (MODULES.contains(file.source().module()) && !EXCEPTIONS.containsKey(file.path())) {
        new Uses(file, violations).scan(file.tree().getTypeDecls(), null);
      }
    }
    return violations;
  }

  private static final class Uses extends TreeScanner<Void, Void> {
    private final JavaFile file;
    private final List<Violation> violations;

    private Uses(JavaFile file, List<Violation> violations) {
      this.file = file;
      this.violations = violations;
    }

    private void found(String what) {
      violations.add(new Violation(file.path(), "uses " + what + ", not the machine's"));
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree node, Void unused) {
      member(node.getExpression(), node.getIdentifier().toString());
      return super.visitMemberSelect(node, unused);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, Void unused) {
      String type = simpleName(node.getQualifierExpression());
      String name = node.getName().toString();
      if (name.equals("<init>") && CONSTRUCTORS.contains(type)) {
        found("new " + type);
      } else if (type.equals("CompletableFuture") && CALLS.containsKey(name)) {
        found(name);
      }
      member(node.getQualifierExpression(), name);
      return super.visitMemberReference(node, unused);
    }

    private void member(ExpressionTree of, String name) {
      String type = simpleName(of);
      if (TYPES.contains(type) || MEMBERS.contains(type + "." + name)) {
        found(type + "." + name);
      }
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void unused) {
      String type = simpleName(node.getIdentifier());
      if (CONSTRUCTORS.contains(type)) {
        found("new " + type);
      }
      return super.visitNewClass(node, unused);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
      String name = simpleName(node.getMethodSelect());
      int arguments = node.getArguments().size();
      if (CALLS.getOrDefault(name, -1) == arguments) {
        found(name);
      } else if (name.equals("shuffle") && arguments == 1) {
        found("Collections.shuffle");
      }
      return super.visitMethodInvocation(node, unused);
    }

    /** The last part of a name, without type arguments. */
    private static String simpleName(ExpressionTree tree) {
      if (tree instanceof MemberSelectTree select) {
        return select.getIdentifier().toString();
      }
      return tree instanceof IdentifierTree name
          ? name.getName().toString()
          : String.valueOf(tree).replaceAll("<.*", "").replaceAll(".*\\.", "");
    }
  }
}
