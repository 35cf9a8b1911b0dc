package dev.plinth.conventions;

import static dev.plinth.conventions.RuleChecks.java;
import static dev.plinth.conventions.RuleChecks.violations;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules about single Java files and their types. */
class SourceRulesTest {
  @Test
  void publicName_ofTwoTypes_isFound() {
    SourceFile one = java("a", "dev.plinth.a", "Session", "public final class Session {}");
    SourceFile two = java("b", "dev.plinth.b", "Session", "public record Session(int id) {}");
    SourceFile hidden = java("c", "dev.plinth.c", "Session", "class Session {}");
    Rule rule = new UniqueTypeNameRule();
    assertEquals(
        List.of("Session: in [dev.plinth.a, dev.plinth.b]"), violations(rule, one, two, hidden));
    assertEquals(List.of(), violations(rule, one, hidden));
  }

  @Test
  void nullFromAPublicMethod_isFound() {
    SourceFile file =
        java(
            "a",
            "dev.plinth.a",
            "A",
            """
            class A {
              public String plain() { return null; }
              public String choice(boolean b) { if (b) { return "b"; } return b ? "" : (null); }
              public Void none() { return null; }
              String hidden() { return null; }
              public Object inner() {
                Supplier<String> s = () -> { return null; };
                return new Object() { String hidden() { return null; } };
              }
              interface Port { default String find() { return null; } }
            }
            """);
    assertEquals(
        List.of(
            file.path() + "#plain: returns null",
            file.path() + "#choice: returns null",
            file.path() + "#find: returns null"),
        violations(new NullReturnRule(), file));
  }

  @Test
  void fileOver400Lines_isFound() {
    SourceFile longest = java("a", "dev.plinth.a", "A", "\n".repeat(399));
    SourceFile tooLong = java("a", "dev.plinth.a", "B", "\n".repeat(400));
    assertEquals(
        List.of(tooLong.path() + ": has 401 lines"),
        violations(new FileLengthRule(), longest, tooLong));
  }

  @Test
  void recordOverEightComponents_isFound() {
    SourceFile file =
        java(
            "a",
            "dev.plinth.a",
            "A",
            """
            class A {
              record Eight(int a, int b, int c, int d, int e, int f, int g, int h) {
                static final int MAX = 8;
              }
              record Nine(int a, int b, int c, int d, int e, int f, int g, int h, int i) {}
            }
            """);
    assertEquals(
        List.of(file.path() + "#Nine: has 9 components"), violations(new RecordSizeRule(), file));
  }

  @Test
  void packageWithoutPackageInfo_isFound() {
    SourceFile type = java("a", "dev.plinth.a", "A", "class A {}");
    SourceFile empty = java("a", "dev.plinth.a", "package-info", "");
    SourceFile told =
        new SourceFile(
            "a/src/main/java/dev/plinth/a/package-info.java", "/** Of A. */ package dev.plinth.a;");
    Rule rule = new PackageInfoRule();
    String violation = "a/src/main/java/dev/plinth/a: has no package-info.java with a Javadoc";
    assertEquals(List.of(violation), violations(rule, type));
    assertEquals(List.of(violation), violations(rule, type, empty));
    assertEquals(List.of(), violations(rule, type, told));
  }

  @Test
  void tenLinesThatStandTwice_areFound() {
    String nine = IntStream.range(0, 9).mapToObj(i -> "int a" + i + ";\n").collect(joining());
    SourceFile first = java("a", "dev.plinth.a", "A", "class A {\n" + nine + "int b;\n}");
    SourceFile nineEqual = java("b", "dev.plinth.b", "B", "class B {\n" + nine + "int c;\n}");
    String spaced = "  int a0;\n\n" + nine.substring(8) + "int b;\n";
    SourceFile tenEqual = java("c", "dev.plinth.c", "C", "class C {\n" + spaced + "}");
    Rule rule = new RepeatedLinesRule();
    assertEquals(List.of(), violations(rule, first, nineEqual));
    assertEquals(
        List.of(tenEqual.path() + ": has ten lines of " + first.path() + ", from: int a0;"),
        violations(rule, first, tenEqual));
  }
}
