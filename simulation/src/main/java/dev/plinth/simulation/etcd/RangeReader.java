package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeRequest.SortOrder;
import io.etcd.jetcd.api.RangeRequest.SortTarget;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Answers a range request as of one revision. */
final class RangeReader {
  private RangeReader() {}

  static RangeResponse read(EtcdState state, RangeRequest request, long now) {
    List<KeyValue> all =
        state.range(request.getKey(), request.getRangeEnd(), request.getRevision(), now);
    RangeResponse.Builder answer =
        RangeResponse.newBuilder()
            .setHeader(ResponseHeader.newBuilder().setRevision(now))
            .setCount(all.size());
    if (request.getCountOnly()) {
      return answer.build();
    }
    List<KeyValue> found = sorted(request, fetched(request, all)).toList();
    long limit = request.getLimit();
    answer.setMore(limit > 0 && found.size() > limit);
    found.stream()
        .limit(limit > 0 ? limit : found.size())
        .map(row -> request.getKeysOnly() ? row.toBuilder().clearValue().build() : row)
        .forEach(answer::addKvs);
    return answer.build();
  }

  /** etcd cuts off before it sorts where only a target was given, and no order. */
  private static Stream<KeyValue> fetched(RangeRequest request, List<KeyValue> all) {
    boolean filtered =
        request.getMinModRevision() != 0
            || request.getMaxModRevision() != 0
            || request.getMinCreateRevision() != 0
            || request.getMaxCreateRevision() != 0;
    if (filtered) {
      return all.stream().filter(row -> passes(request, row));
    }
    boolean cut = request.getLimit() > 0 && request.getSortOrder() == SortOrder.NONE;
    return cut ? all.stream().limit(request.getLimit() + 1) : all.stream();
  }

  private static boolean passes(RangeRequest request, KeyValue row) {
    return isBetween(row.getModRevision(), request.getMinModRevision(), request.getMaxModRevision())
        && isBetween(
            row.getCreateRevision(),
            request.getMinCreateRevision(),
            request.getMaxCreateRevision());
  }

  private static boolean isBetween(long revision, long least, long most) {
    return (least == 0 || revision >= least) && (most == 0 || revision <= most);
  }

  private static Stream<KeyValue> sorted(RangeRequest request, Stream<KeyValue> rows) {
    Comparator<KeyValue> order = order(request.getSortTarget());
    return switch (request.getSortOrder()) {
      case DESCEND -> rows.sorted(order.reversed());
      case ASCEND -> rows.sorted(order);
      default -> request.getSortTarget() == SortTarget.KEY ? rows : rows.sorted(order);
    };
  }

  private static Comparator<KeyValue> order(SortTarget target) {
    Comparator<ByteString> bytes = ByteString.unsignedLexicographicalComparator();
    return switch (target) {
      case VERSION -> Comparator.comparingLong(KeyValue::getVersion);
      case CREATE -> Comparator.comparingLong(KeyValue::getCreateRevision);
      case MOD -> Comparator.comparingLong(KeyValue::getModRevision);
      case VALUE -> Comparator.comparing(KeyValue::getValue, bytes);
      default -> Comparator.comparing(KeyValue::getKey, bytes);
    };
  }
}
