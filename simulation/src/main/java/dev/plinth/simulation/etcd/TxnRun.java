package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.DeleteRangeResponse;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One transaction, or one write outside of any. All compares, those of nested transactions too, are
 * decided and all operations checked before the first of them is applied.
 */
final class TxnRun {
  /** A transaction whose branch has been chosen. */
  private record Branch(boolean succeeded, List<RequestOp> ops, List<Branch> nested) {}

  private final EtcdState state;
  private final long begin;
  private boolean changed;

  /**
   * @param begin the revision that is read: the current one, except for a stale read
   */
  TxnRun(EtcdState state, long begin) {
    this.state = state;
    this.begin = begin;
  }

  /** The header is left without a revision. */
  TxnResponse run(TxnRequest request) {
    Branch root = choose(request);
    checkPuts(root);
    checkRanges(root);
    TxnResponse answer = apply(root);
    end();
    return answer;
  }

  /** The revision that what was read or written is of. */
  long revision() {
    return changed ? begin + 1 : begin;
  }

  void end() {
    if (changed) {
      state.advance();
    }
  }

  private Branch choose(TxnRequest request) {
    boolean succeeded = request.getCompareList().stream().allMatch(this::holds);
    List<RequestOp> ops = succeeded ? request.getSuccessList() : request.getFailureList();
    List<Branch> nested = new ArrayList<>();
    ops.stream()
        .filter(RequestOp::hasRequestTxn)
        .forEach(op -> nested.add(choose(op.getRequestTxn())));
    return new Branch(succeeded, ops, nested);
  }

  private boolean holds(Compare compare) {
    List<KeyValue> rows = state.range(compare.getKey(), compare.getRangeEnd(), 0, begin);
    if (rows.isEmpty()) {
      return compare.getTarget() != Compare.CompareTarget.VALUE
          && holds(compare, KeyValue.getDefaultInstance());
    }
    return rows.stream().allMatch(row -> holds(compare, row));
  }

  private static boolean holds(Compare compare, KeyValue row) {
    int order =
        switch (compare.getTarget()) {
          case VERSION -> Long.compare(row.getVersion(), compare.getVersion());
          case CREATE -> Long.compare(row.getCreateRevision(), compare.getCreateRevision());
          case MOD -> Long.compare(row.getModRevision(), compare.getModRevision());
          case VALUE ->
              ByteString.unsignedLexicographicalComparator()
                  .compare(row.getValue(), compare.getValue());
          case UNRECOGNIZED -> throw new IllegalArgumentException("not modelled: " + compare);
        };
    return switch (compare.getResult()) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case GREATER -> order > 0;
      case LESS -> order < 0;
      case UNRECOGNIZED -> throw new IllegalArgumentException("not modelled: " + compare);
    };
  }

  private void checkPuts(Branch branch) {
    int next = 0;
    for (RequestOp op : branch.ops) {
      if (op.hasRequestTxn()) {
        checkPuts(branch.nested.get(next++));
      } else if (op.hasRequestPut()) {
        checkPrevious(op.getRequestPut());
        checkLease(op.getRequestPut());
      }
    }
  }

  private void checkLease(PutRequest put) {
    if (put.getLease() != 0 && state.leases().find(put.getLease()).isEmpty()) {
      throw EtcdErrors.leaseNotFound();
    }
  }

  private void checkRanges(Branch branch) {
    int next = 0;
    for (RequestOp op : branch.ops) {
      if (op.hasRequestTxn()) {
        checkRanges(branch.nested.get(next++));
      } else if (op.hasRequestRange()) {
        RangeRequest range = op.getRequestRange();
        if (range.getRevision() > begin) {
          throw EtcdErrors.futureRevision();
        }
        if (range.getRevision() != 0 && range.getRevision() < state.compacted()) {
          throw EtcdErrors.compacted();
        }
      }
    }
  }

  private TxnResponse apply(Branch branch) {
    TxnResponse.Builder answer =
        TxnResponse.newBuilder()
            .setSucceeded(branch.succeeded)
            .setHeader(ResponseHeader.getDefaultInstance());
    int next = 0;
    for (RequestOp op : branch.ops) {
      ResponseOp.Builder done = ResponseOp.newBuilder();
      switch (op.getRequestCase()) {
        case REQUEST_RANGE ->
            done.setResponseRange(RangeReader.read(state, op.getRequestRange(), revision()));
        case REQUEST_PUT -> done.setResponsePut(apply(op.getRequestPut()));
        case REQUEST_DELETE_RANGE -> done.setResponseDeleteRange(apply(op.getRequestDeleteRange()));
        case REQUEST_TXN -> done.setResponseTxn(apply(branch.nested.get(next++)));
        case REQUEST_NOT_SET -> throw new IllegalStateException("checked before");
      }
      answer.addResponses(done);
    }
    return answer.build();
  }

  /** A put by itself. */
  PutResponse put(PutRequest put) {
    checkLease(put);
    checkPrevious(put);
    PutResponse answer = apply(put);
    end();
    return answer;
  }

  private PutResponse apply(PutRequest put) {
    PutResponse.Builder answer = PutResponse.newBuilder();
    Optional<KeyValue> before = previous(put);
    if (put.getPrevKv()) {
      before.ifPresent(answer::setPrevKv);
    }
    ByteString value = put.getIgnoreValue() ? before.orElseThrow().getValue() : put.getValue();
    long lease = put.getIgnoreLease() ? before.orElseThrow().getLease() : put.getLease();
    state.put(put.getKey(), value, lease, begin + 1);
    changed = true;
    return answer.setHeader(header()).build();
  }

  /**
   * Some puts need a row to be there. Where the same transaction has deleted it since (etcd's check
   * of overlaps does not see a delete of all keys), etcd 3.4 dies of it, on every member and at
   * every start; the model fails too, with NoSuchElementException.
   */
  private void checkPrevious(PutRequest put) {
    if ((put.getIgnoreValue() || put.getIgnoreLease()) && previous(put).isEmpty()) {
      throw EtcdErrors.keyNotFound();
    }
  }

  private Optional<KeyValue> previous(PutRequest put) {
    return state.range(put.getKey(), ByteString.EMPTY, 0, revision()).stream().findFirst();
  }

  /** A deletion by itself. */
  DeleteRangeResponse delete(DeleteRangeRequest delete) {
    DeleteRangeResponse answer = apply(delete);
    end();
    return answer;
  }

  private DeleteRangeResponse apply(DeleteRangeRequest delete) {
    DeleteRangeResponse.Builder answer = DeleteRangeResponse.newBuilder();
    List<KeyValue> rows = state.range(delete.getKey(), delete.getRangeEnd(), 0, revision());
    if (delete.getPrevKv()) {
      answer.addAllPrevKvs(rows);
    }
    for (KeyValue row : rows) {
      state.delete(row, begin + 1);
      changed = true;
    }
    return answer.setDeleted(rows.size()).setHeader(header()).build();
  }

  private ResponseHeader.Builder header() {
    return ResponseHeader.newBuilder().setRevision(revision());
  }
}
