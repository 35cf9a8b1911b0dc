package dev.plinth.client.member;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.OperationDeadline;
import dev.plinth.client.internal.ResumingWatch;
import dev.plinth.client.internal.SerialExecutor;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.WatchMembersRequest;
import dev.plinth.registry.v1.WatchMembersResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The members of a group as they come and go, over broken connections, until it is closed. While
 * the server is away the last list stays; {@link #age} says how old it may be.
 */
public final class GroupWatch implements AutoCloseable {
  private static final Duration PUBLISH_DELAY = Duration.ofMillis(10);

  private final WatchMembersRequest request;
  private final ClientEventLoop loop;
  private final SerialExecutor calls;
  private final MemberFold fold = new MemberFold();
  private final ResumingWatch<WatchMembersRequest, WatchMembersResponse> stream;
  private final List<Consumer<GroupWatch>> listeners = new CopyOnWriteArrayList<>();
  private volatile Consumer<CallFailedException> onFailure = failure -> {};
  private volatile MemberFold.View view = MemberFold.View.EMPTY;
  private volatile boolean known;
  private volatile boolean closed;
  private boolean publishing;

  GroupWatch(String namespace, String group, List<LabelFilter> filters, ClientRuntime runtime) {
    request =
        WatchMembersRequest.newBuilder()
            .setNamespace(namespace)
            .setGroup(group)
            .addAllFilters(filters)
            .build();
    loop = runtime.environment().loop();
    calls = new SerialExecutor(runtime.environment().callbacks());
    stream =
        new ResumingWatch<>(
            runtime,
            RegistryServiceGrpc.getWatchMembersMethod(),
            this::nextRequest,
            new ResponseReceiver());
  }

  private WatchMembersRequest nextRequest() {
    fold.reopen();
    return request.toBuilder().setResumeToken(fold.resumeToken()).build();
  }

  void begin(OperationDeadline deadline) throws InterruptedException {
    stream.begin(deadline);
  }

  void open() {
    stream.open();
  }

  /** Those that are there, in the order of names: one read of memory. */
  public List<Member> members() {
    return view.members();
  }

  /**
   * Those to send work to: ALIVE and SUSPECT, but neither DRAINING nor out of service, and of a
   * weight above 0.
   */
  public List<Member> serving() {
    return view.serving();
  }

  /** How long ago the server was last heard of; a few seconds when all is well. */
  public Duration age() {
    return stream.age();
  }

  /**
   * After each change, with this watch; one call after the other. Changes that come while a call is
   * not back are told in one.
   */
  public void onChange(Consumer<GroupWatch> task) {
    listeners.add(task);
  }

  /** Each time the server refuses it or cannot be reached; on the event loop. */
  void onFailure(Consumer<CallFailedException> task) {
    onFailure = task;
  }

  /** Not for each commit of many: a view costs as much as the group is large. */
  private void publishSoon() {
    if (!known) {
      publish();
    } else if (!publishing) {
      publishing = true;
      loop.after(PUBLISH_DELAY, this::publish);
    }
  }

  private void publish() {
    publishing = false;
    view = fold.view();
    known = true;
    stream.begun();
    if (calls.waiting() == 0) { // else the one that waits will see this change, too
      calls.execute(this::callListeners);
    }
  }

  private void callListeners() {
    for (Consumer<GroupWatch> listener : listeners) {
      if (!closed) {
        listener.accept(this);
      }
    }
  }

  private final class ResponseReceiver implements ResumingWatch.Listener<WatchMembersResponse> {
    @Override
    public void onMessage(WatchMembersResponse message) {
      if (fold.take(message)) {
        publishSoon();
      }
    }

    @Override
    public void loseTrack() {
      fold.loseTrack();
    }

    @Override
    public void onFailure(CallFailedException why) {
      onFailure.accept(why);
    }
  }

  /** Nothing is told any more, but a call that is running ends by itself. */
  @Override
  public void close() {
    closed = true;
    stream.close();
  }
}
