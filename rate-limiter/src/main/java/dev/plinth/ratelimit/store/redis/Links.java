package dev.plinth.ratelimit.store.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** The connections to one Redis, or to the primary that sentinels name, used in turn. */
final class Links implements Connections {
  private static final long CHECK_MILLIS = 1_000;

  private final AtomicInteger turn = new AtomicInteger();
  private final List<Link> links;
  private final LostKeys lostKeys = new LostKeys();
  private final ScheduledFuture<?> check;

  Links(RedisDriver driver, RedisURI uri, String location, int connections) {
    links =
        IntStream.range(0, connections)
            .mapToObj(i -> new Link(driver, uri, location, i == 0 ? Eviction::check : c -> {}))
            .toList();
    links.forEach(Link::open);
    check =
        driver
            .scheduler()
            .scheduleWithFixedDelay(
                () -> pick().ifPresent(lostKeys::check),
                CHECK_MILLIS,
                CHECK_MILLIS,
                TimeUnit.MILLISECONDS);
  }

  @Override
  public Optional<Link.Up> pick(String domain) {
    return pick();
  }

  /** One that is up, each in its turn; empty if none is. */
  Optional<Link.Up> pick() {
    int first = Math.floorMod(turn.getAndIncrement(), links.size());
    for (int i = 0; i < links.size(); i++) {
      Link.Up up = links.get((first + i) % links.size()).up();
      if (up != null) {
        return Optional.of(up);
      }
    }
    return Optional.empty();
  }

  @Override
  public Optional<Link.Up> pickMoved(Link.Up by, String hostPort) {
    return Optional.empty();
  }

  @Override
  public Optional<String> trouble() {
    String last = null;
    for (Link link : links) {
      Optional<String> trouble = link.trouble();
      if (trouble.isEmpty()) {
        return trouble;
      }
      last = trouble.get();
    }
    return Optional.ofNullable(last);
  }

  @Override
  public void close() {
    check.cancel(false);
    links.forEach(Link::close);
  }
}
