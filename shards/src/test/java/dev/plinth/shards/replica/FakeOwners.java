package dev.plinth.shards.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Owners of all keys, which say what a test wants. */
final class FakeOwners implements ReplicaSource<Text> {
  final List<Watch> opened = new ArrayList<>();
  boolean refusing;

  /** One watch that was opened. */
  static final class Watch {
    final String key;
    final String resumeToken;
    final Listener<Text> listener;
    boolean cancelled;

    Watch(String key, String resumeToken, Listener<Text> listener) {
      this.key = key;
      this.resumeToken = resumeToken;
      this.listener = listener;
    }

    /** A value, or the last part of one. */
    void put(long version, String token) {
      listener.onChange(append(version), token);
    }

    void part(long version) {
      put(version, "");
    }

    void delete(String token) {
      listener.onChange(before -> Optional.empty(), token);
    }

    private static UnaryOperator<Optional<Text>> append(long version) {
      return before -> {
        List<Long> parts = new ArrayList<>(before.map(Text::parts).orElse(List.of()));
        parts.add(version);
        return Optional.of(new Text(parts));
      };
    }
  }

  @Override
  public Runnable open(String key, String resumeToken, Listener<Text> listener) {
    if (refusing) {
      throw new IllegalStateException("refused by the test");
    }
    Watch watch = new Watch(key, resumeToken, listener);
    opened.add(watch);
    return () -> watch.cancelled = true;
  }

  /** The last watch of a key. */
  Watch watch(String key) {
    return opened.stream()
        .filter(watch -> watch.key.equals(key))
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }

  List<String> openKeys() {
    return opened.stream().filter(watch -> !watch.cancelled).map(watch -> watch.key).toList();
  }
}
