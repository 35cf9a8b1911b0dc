package dev.plinth.bench.lease;

import dev.plinth.bench.Echo;
import java.util.List;
import java.util.stream.Stream;

/**
 * A case of the bench: the same operation at several numbers of callers.
 *
 * @param row what {@code -Prows} calls it
 * @param calls over gRPC that one operation takes; 0 if it takes none
 */
record LeaseCase(String row, String name, int calls) {
  static final List<String> STORES = List.of("etcd", "embedded");
  static final LeaseCase ECHO = new LeaseCase("echo", Echo.NAME, 1);
  static final LeaseCase NAIVE = new LeaseCase("naive", "naive jetcd, a key each", 0);
  static final LeaseCase CURATOR =
      new LeaseCase("curator", "Curator InterProcessMutex, a path each", 0);
  static final LeaseCase REDISSON =
      new LeaseCase("redisson", "Redisson RLock in memory, a key each", 0);

  static LeaseCase cycles(String store) {
    return new LeaseCase(store + "-one", "Plinth " + store + ", cycles, one namespace", 2);
  }

  static LeaseCase spread(String store) {
    return new LeaseCase(store + "-16", "Plinth " + store + ", cycles, 16 namespaces", 2);
  }

  static LeaseCase handOffs(String store) {
    return new LeaseCase(store + "-handoffs", "Plinth " + store + ", hand-offs of one hot key", 2);
  }

  static LeaseCase renewals(String store) {
    return new LeaseCase(store + "-renewals", "Plinth " + store + ", renewals", 1);
  }

  static LeaseCase heartbeats(String store) {
    return new LeaseCase(
        store + "-heartbeats", "Plinth " + store + ", heartbeats while callers cycle", 0);
  }

  static LeaseCase commits(String store) {
    return new LeaseCase(store + "-commits", store + ", commits one after another", 0);
  }

  /** Names of all rows, as {@code -Prows} takes them. */
  static List<String> rows() {
    return Stream.concat(
            Stream.of(ECHO, NAIVE, CURATOR, REDISSON),
            STORES.stream()
                .flatMap(
                    store ->
                        Stream.of(
                            commits(store),
                            cycles(store),
                            spread(store),
                            handOffs(store),
                            renewals(store),
                            heartbeats(store))))
        .map(LeaseCase::row)
        .toList();
  }
}
