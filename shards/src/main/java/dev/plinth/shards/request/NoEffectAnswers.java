package dev.plinth.shards.request;

import dev.plinth.shards.RequestId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last answers of requests that changed nothing, in memory only. They save a late duplicate
 * from having an effect that the first sending had not; the oldest give way.
 */
final class NoEffectAnswers {
  private static final int ENTRY_BYTES = 144;

  private final Map<RequestId, RememberedAnswer> answers = new LinkedHashMap<>();
  private final long limit;
  private long bytes;

  NoEffectAnswers(long limit) {
    this.limit = limit;
  }

  /** Null if it is not there. */
  RememberedAnswer find(RequestId id) {
    return answers.get(id);
  }

  void add(RequestId id, RememberedAnswer answer) {
    if (weight(answer) > limit / 4) {
      return; // one must not push out all others
    }
    answers.put(id, answer);
    bytes += weight(answer);
    Iterator<RememberedAnswer> oldest = answers.values().iterator();
    while (bytes > limit) {
      bytes -= weight(oldest.next());
      oldest.remove();
    }
  }

  long bytes() {
    return bytes;
  }

  private static long weight(RememberedAnswer answer) {
    return ENTRY_BYTES + answer.bytes().length;
  }
}
