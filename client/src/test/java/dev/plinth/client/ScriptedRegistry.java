package dev.plinth.client;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import dev.plinth.client.internal.BlockingCaller;
import dev.plinth.client.internal.ClientEnvironment;
import dev.plinth.client.internal.ClientEventLoop;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClientWire;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.client.internal.session.RegistrySessions;
import dev.plinth.machine.Machine;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.BeatResponse;
import dev.plinth.registry.v1.CloseSessionRequest;
import dev.plinth.registry.v1.CloseSessionResponse;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.DeregisterResponse;
import dev.plinth.registry.v1.GetMemberRequest;
import dev.plinth.registry.v1.GetMemberResponse;
import dev.plinth.registry.v1.LostMember;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.MemberState;
import dev.plinth.registry.v1.OpenSessionRequest;
import dev.plinth.registry.v1.OpenSessionResponse;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc.RegistryServiceImplBase;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.registry.v1.UpdateMemberResponse;
import dev.plinth.testkit.ManualClock;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A registry that answers as a test has it, and the parts of a client of it, in a time that the
 * test moves. Nothing happens in the background: what comes back does so when the clock runs what
 * is due.
 */
public final class ScriptedRegistry extends RegistryServiceImplBase implements AutoCloseable {
  public static final Duration TTL = Duration.ofSeconds(10);
  public static final String GROUP = "web";

  public final ManualClock clock = new ManualClock();

  /** Calls that arrived, such as "Register ann". */
  public final List<String> calls = new ArrayList<>();

  public final List<OpenSessionRequest> opened = new ArrayList<>();
  public final List<RegisterRequest> registrations = new ArrayList<>();
  public final List<UpdateMemberRequest> updates = new ArrayList<>();
  public final Map<String, Member> members = new TreeMap<>();
  public final List<LostMember> lost = new ArrayList<>();

  /** What each call fails with, if anything. */
  public Status failure = Status.OK;

  /** Answers wait for {@link #answer} while this is set. */
  public boolean holding;

  /** Of the session that is open; null if none is. */
  public String session;

  /** Where callbacks of the application run. */
  public Executor callbacks = Runnable::run;

  private final List<Runnable> held = new ArrayList<>();
  private final AtomicLong stalled = new AtomicLong();
  private final Server server;
  private final ManagedChannel channel;
  private final ClientRuntime runtime;
  private final RegistrySessions sessions;
  private long incarnations;

  public ScriptedRegistry(BindableService... others) {
    String name = InProcessServerBuilder.generateName();
    InProcessServerBuilder builder =
        InProcessServerBuilder.forName(name).directExecutor().addService(this);
    List.of(others).forEach(builder::addService);
    try {
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    Machine machine = TestMachine.of(this::nanos, clock, clock.scheduler());
    RetrySchedule retries = new RetrySchedule(new Random(1));
    ClientEnvironment environment =
        new ClientEnvironment(
            machine,
            new ClientEventLoop(clock.scheduler()),
            task -> callbacks.execute(task),
            retries,
            ClientEvents.NONE);
    Duration callDeadline = Duration.ofMinutes(1);
    runtime =
        new ClientRuntime(
            "ann",
            channel,
            new BlockingCaller(machine, channel, callDeadline, retries, time -> true),
            environment,
            Duration.ofMinutes(1),
            Runnable::run,
            Optional.empty());
    sessions = new RegistrySessions(runtime, TTL);
  }

  private long nanos() {
    return clock.nanos().getAsLong() + stalled.get();
  }

  /** As if no thread of the process had run for so long. */
  public void stall(Duration time) {
    stalled.addAndGet(time.toNanos());
  }

  public ClientRuntime runtime() {
    return runtime;
  }

  public RegistrySessions sessions() {
    return sessions;
  }

  /** A member that has joined. */
  public Membership join(String name) {
    Membership membership = membership(name, Membership.Observer.NONE);
    membership.begin();
    clock.runDue();
    return membership;
  }

  public Membership membership(String name, Membership.Observer observer) {
    RegisterRequest attributes =
        RegisterRequest.newBuilder().setNamespace("default").setGroup(GROUP).setName(name).build();
    return new Membership(attributes, runtime, sessions.of("default"), observer);
  }

  public void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  /** Lets answers go that were held. */
  public void answer() {
    holding = false;
    List<Runnable> all = List.copyOf(held);
    held.clear();
    all.forEach(Runnable::run);
    clock.runDue();
  }

  /** Forgets the session, as if it had expired. */
  public void expire() {
    session = null;
    members.clear();
  }

  public long count(String call) {
    return calls.stream().filter(each -> each.startsWith(call)).count();
  }

  public static StatusRuntimeException refusal(Code code, String reason) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .addDetails(Any.pack(ErrorInfo.newBuilder().setReason(reason).build()))
            .build());
  }

  /** Answers now, or later if answers are held. The answer is made now in any case. */
  public <A> void reply(StreamObserver<A> to, A answer) {
    Status now = failure;
    Runnable reply =
        () -> {
          if (now.isOk()) {
            to.onNext(answer);
            to.onCompleted();
          } else {
            to.onError(now.asRuntimeException());
          }
        };
    send(reply);
  }

  private void send(Runnable reply) {
    if (holding) {
      held.add(reply);
    } else {
      reply.run();
    }
  }

  public boolean refusesSession(String id, StreamObserver<?> to) {
    if (!failure.isOk() || id.equals(session)) {
      return false;
    }
    send(() -> to.onError(refusal(Code.NOT_FOUND, "SESSION_UNKNOWN")));
    return true;
  }

  @Override
  public void openSession(OpenSessionRequest request, StreamObserver<OpenSessionResponse> to) {
    calls.add("OpenSession");
    if (failure.isOk()) {
      opened.add(request);
      session = "s-" + opened.size();
    }
    reply(
        to,
        OpenSessionResponse.newBuilder()
            .setSessionId("s-" + opened.size())
            .setIncarnation(++incarnations)
            .setTtl(ClientWire.duration(TTL))
            .build());
  }

  @Override
  public void beat(BeatRequest request, StreamObserver<BeatResponse> to) {
    calls.add("Beat " + request.getSessionId());
    if (!refusesSession(request.getSessionId(), to)) {
      reply(
          to,
          BeatResponse.newBuilder()
              .setTtl(ClientWire.duration(TTL))
              .setMembers(members.size())
              .addAllLost(lost)
              .build());
    }
  }

  @Override
  public void closeSession(CloseSessionRequest request, StreamObserver<CloseSessionResponse> to) {
    calls.add("CloseSession " + request.getSessionId());
    if (failure.isOk()) {
      expire();
    }
    reply(to, CloseSessionResponse.getDefaultInstance());
  }

  @Override
  public void register(RegisterRequest request, StreamObserver<RegisterResponse> to) {
    calls.add("Register " + request.getName());
    registrations.add(request);
    if (refusesSession(request.getSessionId(), to)) {
      return;
    }
    Member there = members.get(request.getName());
    boolean taken = there != null && !there.getSessionId().equals(session);
    if (taken || !failure.isOk()) {
      RegisterResponse.Builder answer =
          RegisterResponse.newBuilder().setOutcome(RegisterResponse.Outcome.OUTCOME_TAKEN);
      reply(to, taken ? answer.setMember(there).build() : answer.build());
      return;
    }
    Member member =
        Member.newBuilder()
            .setGroup(request.getGroup())
            .setName(request.getName())
            .setSessionId(session)
            .setIncarnation(++incarnations)
            .setState(MemberState.MEMBER_STATE_ALIVE)
            .build();
    members.put(request.getName(), member);
    lost.removeIf(each -> each.getName().equals(request.getName()));
    reply(
        to,
        RegisterResponse.newBuilder()
            .setOutcome(RegisterResponse.Outcome.OUTCOME_REGISTERED)
            .setMember(member)
            .build());
  }

  @Override
  public void updateMember(UpdateMemberRequest request, StreamObserver<UpdateMemberResponse> to) {
    calls.add("UpdateMember " + request.getName());
    updates.add(request);
    Member member = members.get(request.getName());
    if (member == null || member.getIncarnation() != request.getIncarnation()) {
      send(() -> to.onError(refusal(Code.FAILED_PRECONDITION, "INCARNATION_STALE")));
    } else {
      reply(to, UpdateMemberResponse.newBuilder().setMember(member).build());
    }
  }

  @Override
  public void deregister(DeregisterRequest request, StreamObserver<DeregisterResponse> to) {
    calls.add("Deregister " + request.getName());
    if (failure.isOk()) {
      members.remove(request.getName());
    }
    reply(to, DeregisterResponse.getDefaultInstance());
  }

  @Override
  public void getMember(GetMemberRequest request, StreamObserver<GetMemberResponse> to) {
    calls.add("GetMember " + request.getName());
    Member member = members.get(request.getName());
    if (member == null) {
      send(() -> to.onError(refusal(Code.NOT_FOUND, "MEMBER_UNKNOWN")));
    } else {
      reply(to, GetMemberResponse.newBuilder().setMember(member).build());
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
