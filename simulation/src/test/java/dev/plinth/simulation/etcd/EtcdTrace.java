package dev.plinth.simulation.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Asks the real etcd and the model the same requests, and fails at the first that they answer
 * differently. The real one is emptied first: the trace reads and deletes all keys.
 */
final class EtcdTrace {
  static final int REQUESTS = 100;

  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private final long seed;
  private final EtcdUnderTest real;
  private final EtcdUnderTest model;
  private final RandomRequests requests;
  private final List<Long> realLeases = new ArrayList<>();
  private final Map<String, Integer> answers = new TreeMap<>();
  private final EtcdModel modelled;

  EtcdTrace(long seed, EtcdUnderTest real) {
    this.seed = seed;
    this.real = real;
    SplittableRandom random = new SplittableRandom(seed);
    this.requests = new RandomRequests(random);
    this.modelled =
        new EtcdModel(EtcdModelSettings.DEFAULT.withoutStaleReads(), System::nanoTime, random);
    this.model = new ModelUnderTest(modelled);
  }

  /** How often each kind of request had each kind of answer. */
  Map<String, Integer> run() {
    long start = empty();
    model.call(CompactionRequest.newBuilder().setRevision(1).build());
    NumberMapping numbers = new NumberMapping(start - 1);
    try {
      for (int i = 0; i < REQUESTS; i++) {
        step(i, requests.next(modelled.revision()), numbers);
      }
    } finally {
      realLeases.forEach(
          id -> EtcdAnswer.of(() -> real.call(LeaseRevokeRequest.newBuilder().setID(id).build())));
    }
    return answers;
  }

  /** Returns the revision, up to which all is compacted. */
  private long empty() {
    PutResponse put = (PutResponse) real.call(PutRequest.newBuilder().setKey(ZERO).build());
    real.call(DeleteRangeRequest.newBuilder().setKey(ZERO).setRangeEnd(ZERO).build());
    long revision = put.getHeader().getRevision() + 1;
    real.call(CompactionRequest.newBuilder().setRevision(revision).setPhysical(true).build());
    return revision;
  }

  private void step(int number, Message request, NumberMapping numbers) {
    EtcdAnswer ofModel = EtcdAnswer.of(() -> model.call(request));
    EtcdAnswer ofReal = EtcdAnswer.of(() -> real.call(numbers.toReal(request)));
    if (request instanceof LeaseGrantRequest && !ofModel.isRefused() && !ofReal.isRefused()) {
      long id = ((LeaseGrantResponse) ofModel.message()).getID();
      long realId = ((LeaseGrantResponse) ofReal.message()).getID();
      realLeases.add(realId);
      numbers.lease(id, realId);
      requests.granted(id);
    }
    String expected =
        ofReal.isRefused() ? ofReal.refusal() : numbers.toModel(ofReal.message()).toString();
    String actual =
        ofModel.isRefused() ? ofModel.refusal() : numbers.plain(ofModel.message()).toString();
    if (!expected.equals(actual)) {
      throw new AssertionError(
          "seed %d, request %d, %s:\n%s\n--- etcd:\n%s\n--- the model:\n%s"
              .formatted(
                  seed,
                  number,
                  request.getDescriptorForType().getName(),
                  shortened(request),
                  expected,
                  actual));
    }
    answers.merge(kind(request, ofReal), 1, Integer::sum);
  }

  private static String kind(Message request, EtcdAnswer answer) {
    String name = request.getDescriptorForType().getName();
    if (answer.isRefused()) {
      return name + " " + answer.refusal().replaceAll(" \\(.*", "");
    }
    boolean nested =
        answer.message() instanceof TxnResponse done
            && done.getResponsesList().stream().anyMatch(ResponseOp::hasResponseTxn);
    return name + " answered" + (nested ? ", with others nested" : "");
  }

  private static String shortened(Message request) {
    String text = request.toString();
    return text.length() > 5_000 ? text.substring(0, 5_000) + "..." : text;
  }
}
