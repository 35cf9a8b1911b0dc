package dev.plinth.shards.store.etcd;

import dev.plinth.shards.store.Write;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One shard as etcd would keep it, behind a network that the test plays: a request arrives when the
 * test says so, in any order, and its answer, or a timeout instead, when the test says that.
 */
final class FakeShard implements CommitSender.CommitTransport {
  /** A request on its way. */
  final class Request {
    final long number;
    private final CompletableFuture<CommitSender.CommitStatus> answer = new CompletableFuture<>();
    private CommitSender.CommitStatus made;
    private boolean timedOut;
    private boolean hadEffect;

    Request(long number) {
      this.number = number;
    }

    boolean isAnswered() {
      return answer.isDone();
    }

    /** Whether it may yet arrive. */
    boolean isOnItsWay() {
      return made == null && (timedOut || !isAnswered());
    }

    boolean hadEffect() {
      return hadEffect;
    }

    /** Once; a second time changes nothing. */
    Request arrive() {
      if (made == null) {
        if (ours && revision == number - 1) {
          revision = number;
          applied.add(number);
          hadEffect = true;
        }
        made = new CommitSender.CommitStatus(ours, revision);
      }
      return this;
    }

    void answer() {
      answer.complete(made);
    }

    void timeOut() {
      timedOut = true;
      fail(Status.DEADLINE_EXCEEDED);
    }

    void fail(Status status) {
      answer.completeExceptionally(status.asRuntimeException());
    }
  }

  final List<Request> requests = new ArrayList<>();
  final List<Long> applied = new ArrayList<>();
  long revision;
  boolean ours = true;

  @Override
  public CompletableFuture<CommitSender.CommitStatus> send(long number, List<Write> writes) {
    Request request = new Request(number);
    requests.add(request);
    return request.answer;
  }

  @Override
  public CompletableFuture<CommitSender.CommitStatus> readBack() {
    return CompletableFuture.completedFuture(new CommitSender.CommitStatus(ours, revision));
  }

  List<Request> unanswered() {
    return requests.stream().filter(request -> !request.isAnswered()).toList();
  }

  Request last() {
    return requests.get(requests.size() - 1);
  }

  List<Long> sent() {
    return requests.stream().map(request -> request.number).toList();
  }
}
