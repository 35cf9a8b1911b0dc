package dev.plinth.shards.store.etcd;

import dev.plinth.machine.Machine;
import dev.plinth.shards.store.Row;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * Reads all rows of a shard in pages. etcd 3.4 walks over all that is left for each page, so their
 * number of rows goes up where rows are small; where they are so large that a page is longer than
 * an answer may be, it comes down.
 */
final class PagedRowLoader {
  private static final int FIRST_LIMIT = 1_000;
  private static final long SMALL_PAGE = 1 << 20;
  private static final Duration RETRY = Duration.ofMillis(50);
  private static final ByteSequence ZERO = ByteSequence.from(new byte[1]);

  private final FailoverEtcdClient etcd;
  private final Machine machine;
  private final FencedTxns txns;
  private final int shard;
  private final BooleanSupplier mayGoOn;
  private final int nameFrom;
  private final List<Row> rows = new ArrayList<>();
  private ByteSequence next;
  private int limit = FIRST_LIMIT;

  /**
   * @param mayGoOn whether to ask again where an answer failed
   */
  PagedRowLoader(
      FailoverEtcdClient etcd,
      Machine machine,
      FencedTxns txns,
      int shard,
      BooleanSupplier mayGoOn) {
    this.etcd = etcd;
    this.machine = machine;
    this.txns = txns;
    this.shard = shard;
    this.mayGoOn = mayGoOn;
    this.next = txns.rows();
    this.nameFrom = next.size();
  }

  List<Row> all() {
    while (next != null) {
      TxnResponse page = page();
      if (!page.isSucceeded()) {
        throw EtcdFailure.notApplied("shard " + shard + " was lost while it was loaded", null);
      }
      add(page.getGetResponses().get(0).getKvs(), page.getGetResponses().get(0).isMore());
    }
    return rows;
  }

  private TxnResponse page() {
    while (true) {
      try {
        return etcd.await(txns.page(next, limit));
      } catch (CompletionException e) {
        if (EtcdFailure.isAnswerTooLong(e) && limit > 1) {
          limit = Math.max(1, limit / 4);
        } else if (EtcdFailure.of(e) == EtcdFailure.DOUBTFUL && mayGoOn.getAsBoolean()) {
          pause();
        } else {
          throw EtcdFailure.notApplied("cannot load shard " + shard, e);
        }
      }
    }
  }

  private void pause() {
    try {
      machine.pause(RETRY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw EtcdFailure.notApplied("cannot load shard " + shard, e);
    }
  }

  private void add(List<KeyValue> page, boolean more) {
    long size = 0;
    for (KeyValue row : page) {
      byte[] value = row.getValue().getBytes();
      rows.add(new Row(EtcdKeys.text(row.getKey().substring(nameFrom)), value));
      size += value.length;
    }
    if (size < SMALL_PAGE) {
      limit = Math.min(limit * 2, 1 << 20);
    }
    next = more ? page.get(page.size() - 1).getKey().concat(ZERO) : null;
  }
}
