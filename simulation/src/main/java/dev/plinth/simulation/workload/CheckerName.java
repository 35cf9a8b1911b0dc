package dev.plinth.simulation.workload;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds out from the text of a violation which checker saw it. */
public final class CheckerName {
  private static final Pattern FRAME =
      Pattern.compile("at .*dev\\.plinth\\.(?:testkit|simulation)\\.(?:\\w+\\.)*(\\w+)\\.");
  private static final Map<String, String> SIGNS = new LinkedHashMap<>();

  static {
    SIGNS.put("Undecided", "linearizability, undecided");
    SIGNS.put("LeaseChecks.lambda$keyed", "linearizability");
    SIGNS.put("QueueClient.check", "order of waiters");
    SIGNS.put("grace spent", "grace after a takeover");
    SIGNS.put("was taken back, but later", "cancels are kept");
    SIGNS.put("a request id used again", "request ids used twice");
    SIGNS.put("two believe", "BeliefChecker");
    SIGNS.put("was not told", "BeliefChecker");
    SIGNS.put("told twice", "BeliefChecker");
    SIGNS.put("after a beat that was answered", "life of sessions");
    SIGNS.put("an ended member", "late calls");
    SIGNS.put("a closed session lives", "late calls");
    SIGNS.put("MemberChecks.", "MemberChecks");
    SIGNS.put("MemberWorkload.checkViews", "fold of watches");
    SIGNS.put("MemberWorkload.checkSilence", "silence after healing");
    SIGNS.put("ClientWorkload.checkObservers", "LeaderChecker");
    SIGNS.put("not settled", "end of the run");
    SIGNS.put("has not closed", "end of the run");
    SIGNS.put("the ledger of", "ledger of ids");
    SIGNS.put("have no answer", "answers after healing");
    SIGNS.put("no answer to", "answers after healing");
    SIGNS.put("that no client knows", "leftovers after healing");
    SIGNS.put("one request, two answers", "one answer per request id");
    SIGNS.put("lost after", "life of sessions");
    SIGNS.put("ended with", "status codes");
  }

  private CheckerName() {}

  public static String of(String violation) {
    if (violation.contains("SnapshotClient.check")) {
      return "age of snapshots";
    }
    Matcher frame = FRAME.matcher(violation);
    if (frame.find() && frame.group(1).endsWith("Checker")) {
      return frame.group(1);
    }
    return SIGNS.entrySet().stream()
        .filter(sign -> violation.contains(sign.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(violation.contains("\n\tat ") ? "uncaught exception" : "status codes");
  }
}
