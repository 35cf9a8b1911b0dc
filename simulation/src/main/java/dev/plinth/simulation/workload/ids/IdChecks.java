package dev.plinth.simulation.workload.ids;

import dev.plinth.id.v1.GetNamespaceRequest;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.Ledger;
import dev.plinth.id.v1.NamespaceStatus;
import dev.plinth.simulation.workload.FinalQuestions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a run knows of its ids. */
final class IdChecks {
  private final Map<String, GivenIdsChecker> given = new TreeMap<>();
  private final LossChecker losses;
  private final WindowChecker windows = new WindowChecker();

  /**
   * @param returnable ids that may be out in ranges at one time
   */
  IdChecks(long returnable) {
    losses = new LossChecker(returnable);
    for (String namespace : IdNames.definitions().keySet()) {
      given.put(namespace, new GivenIdsChecker(namespace, namespace.equals(IdNames.STRICT)));
    }
  }

  void given(String namespace, String caller, long asked, long answered, List<Long> ids) {
    given.get(namespace).given(caller, asked, answered, ids);
  }

  LossChecker losses() {
    return losses;
  }

  WindowChecker windows() {
    return windows;
  }

  void check(FinalQuestions questions) {
    given.values().forEach(GivenIdsChecker::check);
    windows.check();
    for (String namespace : List.of(IdNames.RANGES, IdNames.COUNTED, IdNames.STRICT)) {
      NamespaceStatus status = status(questions, namespace);
      Ledger ledger = status.getLedger();
      long below = status.getNext() - IdNames.FIRST;
      long told = ledger.getIssued() + ledger.getWasted() + ledger.getOutstanding();
      if (told != below || given.get(namespace).count() > below) {
        throw new AssertionError(
            "the ledger of %s does not add up to %d ids, of which %d were seen: %s"
                .formatted(namespace, below, given.get(namespace).count(), ledger));
      }
      if (namespace.equals(IdNames.COUNTED)) {
        losses.check(below, status.getEpoch());
      }
    }
  }

  private static NamespaceStatus status(FinalQuestions questions, String namespace) {
    return questions
        .ask(
            IdServiceGrpc.getGetNamespaceMethod(),
            GetNamespaceRequest.newBuilder().setNamespace(namespace).build())
        .getStatus();
  }
}
