package dev.plinth.shards.request;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.plinth.shards.RequestId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RequestIndexTest {
  @Test
  void index_findsWhatAMapWould_asRowsComeAndGo() {
    RequestIndex index = new RequestIndex(new SplittableRandom());
    Map<RequestId, RequestRow> model = new HashMap<>();
    ArrayDeque<RequestRow> rows = new ArrayDeque<>();
    SplittableRandom random = new SplittableRandom(42);
    for (int n = 0; n < 3_000; n++) {
      RequestRow row = new RequestRow("requests/s" + n, n, n);
      for (int i = 0; i < 20; i++) {
        // Few enough ids that some come again, and some alike in their first half.
        RequestId id = new RequestId(random.nextInt(4) * -1L >>> 1, random.nextInt(20_000));
        index.put(id, row, row.add(RequestRow.entry(id, n, new byte[] {(byte) n})));
        model.put(id, row);
      }
      rows.add(row);
      if (random.nextInt(100) < 60 + n % 2 * 30) {
        RequestRow oldest = rows.remove();
        oldest.forEach(at -> index.remove(oldest.id(at), oldest));
        model.values().removeIf(is -> is == oldest);
      }
    }
    for (int high = 0; high < 4; high++) {
      for (int low = 0; low < 20_000; low++) {
        RequestId id = new RequestId(high * -1L >>> 1, low);
        RequestRow row = model.get(id);
        RememberedAnswer found = index.find(id);
        if (row == null) {
          assertNull(found);
        } else {
          assertEquals(row.number(), found.fingerprint());
          assertArrayEquals(new byte[] {(byte) row.number()}, found.bytes());
        }
      }
    }
  }
}
