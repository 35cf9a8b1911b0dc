package dev.plinth.client.config;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.LeaseState;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.ClockReading;
import dev.plinth.client.internal.ResumingStream;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.SerialExecutor;
import dev.plinth.client.internal.SilenceWatchdog;
import dev.plinth.client.internal.session.SharedRegistrySession;
import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.AckState;
import dev.plinth.config.v1.ConfigDistributionServiceGrpc;
import dev.plinth.config.v1.Hello;
import dev.plinth.config.v1.RegistrySession;
import dev.plinth.config.v1.SyncRequest;
import dev.plinth.config.v1.SyncResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The stream between an agent and the server, over broken connections. It reads on the event loop;
 * what runs code of the application runs on other threads, one group after the other.
 */
final class ConfigSync implements SharedRegistrySession.User {
  private static final Logger log = System.getLogger("plinth.client");
  // The server sends a bookmark every 5 s at least.
  private static final Duration MAX_SILENCE = Duration.ofSeconds(15);
  private static final Duration SESSION_WAIT = Duration.ofSeconds(1);
  private static final int MAX_ERROR = 1024;
  private static final int MAX_WAITING = 256;

  private final String namespace;
  private final Hello hello;
  private final ClientRuntime runtime;
  private final SharedRegistrySession shared;
  private final ConfigApplier applier;
  private final ConfigFreshness freshness;
  private final ResumingStream<SyncRequest, SyncResponse> stream;
  private final SilenceWatchdog watchdog;
  private final SerialExecutor applies;
  private final SerialExecutor events;
  private final List<ConfigAgentListener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final AssignmentReader reader = new AssignmentReader();
  private final GroupRecords groups = new GroupRecords();
  private Optional<ConfigCache> cache = Optional.empty();
  private Optional<RegistrySession> session = Optional.empty();
  // When a bookmark came that does not count yet.
  private Optional<ClockReading> bookmarkedAt = Optional.empty();
  private boolean opened;
  private boolean stale;
  private volatile boolean closed;

  ConfigSync(ConfigAgentBuilder builder, ConfigApplier applier, ConfigFreshness freshness) {
    this.namespace = builder.namespace;
    this.hello = builder.hello.build();
    this.runtime = builder.runtime;
    this.shared = builder.session;
    this.applier = applier;
    this.freshness = freshness;
    this.applies = new SerialExecutor(runtime.environment().callbacks());
    this.events = new SerialExecutor(runtime.environment().callbacks());
    this.stream =
        new ResumingStream<>(
            runtime,
            ConfigDistributionServiceGrpc.getSyncMethod(),
            RetrySchedule.MAX_BACKOFF,
            this::greeting,
            new ResponseReceiver());
    this.watchdog = new SilenceWatchdog(runtime, MAX_SILENCE, stream::open);
  }

  /** Before it is opened: what the cache has. */
  void restore(ConfigGroup group) throws ConfigRejectedException {
    applier.apply(group, ConfigSource.CACHE, () -> {});
    groups.applied(group);
    freshness.applied(group);
  }

  void cacheIn(ConfigCache files) {
    cache = Optional.of(files);
  }

  /** The session comes first, so that the server knows it from the beginning; but not for long. */
  void open() {
    onLoop(
        () -> {
          shared.attach(this);
          runtime.after(SESSION_WAIT, this::openOnce);
          checkStale();
        });
  }

  private void openOnce() {
    if (!opened && !closed) {
      opened = true;
      stream.open();
      watchdog.start();
    }
  }

  @Override
  public void onOpen(dev.plinth.client.internal.session.RegistrySession of) {
    session =
        Optional.of(
            RegistrySession.newBuilder()
                .setSessionId(of.id())
                .setIncarnation(of.incarnation())
                .build());
    if (opened) {
      stream.open(); // says hello again, with the new session
    } else {
      openOnce();
    }
  }

  @Override
  public void onState(dev.plinth.client.internal.session.RegistrySession of, LeaseState state) {}

  CompletableFuture<Void> ready() {
    return ready;
  }

  long outOfOrder() {
    return groups.outOfOrder();
  }

  Map<String, String> rejections() {
    return groups.rejections();
  }

  void listen(ConfigAgentListener listener) {
    listeners.add(listener);
  }

  private void tell(Consumer<ConfigAgentListener> what) {
    if (events.waiting() < MAX_WAITING) {
      events.execute(() -> listeners.forEach(what));
    } else {
      log.log(Level.WARNING, "a listener of configs blocks; {0} calls wait for it", MAX_WAITING);
    }
  }

  private SyncRequest greeting() {
    reader.reset();
    Hello.Builder next = hello.toBuilder().addAllHave(groups.have());
    session.ifPresent(next::setSession);
    return SyncRequest.newBuilder().setNamespace(namespace).setHello(next).build();
  }

  private void onLoop(Runnable task) {
    runtime.environment().loop().execute(task);
  }

  private void ack(Ack ack) {
    stream.send(SyncRequest.newBuilder().setNamespace(namespace).setAck(ack).build());
  }

  private static Ack.Builder ackOf(ConfigGroup group, AckState state) {
    return Ack.newBuilder()
        .setGroup(group.group())
        .setEpoch(group.position().epoch())
        .setGeneration(group.position().generation())
        .setState(state);
  }

  /** On the event loop. */
  private void received(ConfigGroup group) {
    switch (groups.receive(group)) {
      case OLDER ->
          log.log(
              Level.WARNING,
              "an older generation of {0} is ignored: {1}",
              group.group(),
              group.position());
      case SAME -> groups.lastAck(group.group()).ifPresent(this::ack);
      case BEING_APPLIED -> {} // its ack follows
      case NEW -> applies.execute(() -> apply(group));
    }
  }

  /** On a thread that may block. */
  private void apply(ConfigGroup group) {
    if (closed) {
      return;
    }
    Set<String> names =
        group.assignment().getSnapshotsList().stream()
            .map(snapshot -> snapshot.getConfig())
            .collect(Collectors.toSet());
    try {
      applier.apply(
          group,
          ConfigSource.LIVE,
          () -> onLoop(() -> ack(ackOf(group, AckState.ACK_STATE_STAGED).build())));
      store(group);
      Ack ack = ackOf(group, AckState.ACK_STATE_APPLIED).build();
      onLoop(
          () -> {
            groups.applied(group);
            groups.acked(ack);
            freshness.applied(group);
            ack(ack);
          });
      tell(listener -> listener.onChange(names));
    } catch (ConfigRejectedException e) {
      rejected(group, e);
    }
  }

  private void rejected(ConfigGroup group, ConfigRejectedException why) {
    log.log(Level.WARNING, "config {0} is rejected: {1}", why.config(), why.getMessage());
    String text = String.valueOf(why.getMessage());
    Ack ack =
        ackOf(group, AckState.ACK_STATE_REJECTED)
            .setConfig(why.config())
            .setError(text.substring(0, Math.min(text.length(), MAX_ERROR)))
            .build();
    onLoop(
        () -> {
          groups.rejected(group, ack.getError());
          groups.acked(ack);
          ack(ack);
        });
    tell(listener -> listener.onRejected(why.config(), text));
  }

  /** A cache that cannot be written costs the next start its cache, not this one its config. */
  private void store(ConfigGroup group) {
    if (cache.isPresent()) {
      try {
        cache.get().store(group);
      } catch (IOException e) {
        log.log(Level.WARNING, "config " + group.group() + " could not be cached", e);
      }
    }
  }

  /** Counts once all that came before it is applied or rejected. */
  private void bookmark() {
    boolean waiting = bookmarkedAt.isPresent();
    bookmarkedAt = Optional.of(runtime.environment().now());
    if (!waiting) {
      applies.execute(
          () -> {
            applier.confirm();
            onLoop(this::confirmed);
          });
    }
  }

  private void confirmed() {
    freshness.confirm(bookmarkedAt.orElseThrow());
    bookmarkedAt = Optional.empty();
    if (ready.complete(null)) {
      tell(ConfigAgentListener::onReady);
    }
    if (stale && !freshness.isStale()) {
      stale = false;
      tell(ConfigAgentListener::onFresh);
    }
  }

  private void checkStale() {
    if (closed) {
      return;
    }
    Duration left = freshness.shortest().minus(freshness.age());
    if (!stale && left.isNegative()) {
      stale = true;
      Duration age = freshness.age();
      tell(listener -> listener.onStale(age));
    }
    // At least each second, as a time that the machine slept shows only then.
    Duration second = Duration.ofSeconds(1);
    boolean soon = !left.isNegative() && left.compareTo(second) < 0;
    runtime.after(soon ? left.plusMillis(1) : second, this::checkStale);
  }

  private final class ResponseReceiver implements ResumingStream.Listener<SyncResponse> {
    @Override
    public void onMessage(SyncResponse message) {
      watchdog.heard();
      try {
        switch (message.getBodyCase()) {
          case ASSIGNMENT -> {
            String group = message.getAssignment().getGroup();
            reader
                .begin(message.getAssignment(), groups.held(group))
                .ifPresent(ConfigSync.this::received);
          }
          case CHUNK -> reader.add(message.getChunk()).ifPresent(ConfigSync.this::received);
          case BOOKMARK -> bookmark();
          default -> {} // unassigned: what is here stays
        }
      } catch (AssignmentReader.BrokenStreamException e) {
        log.log(Level.WARNING, "the stream of configs is opened again: {0}", e.getMessage());
        stream.open();
      }
    }

    @Override
    public boolean isActive() {
      return !closed;
    }

    /** Such as one whose name another agent has taken. */
    @Override
    public void refused(CallFailedException why) {
      log.log(Level.WARNING, "the server refuses this agent: {0}", why.getMessage());
      tell(listener -> listener.onRefused(why.getMessage()));
      runtime.after(RetrySchedule.MAX_BACKOFF, stream::open);
    }
  }

  void close() {
    closed = true;
    onLoop(
        () -> {
          watchdog.stop();
          stream.stop();
          shared.detach(this);
        });
  }
}
