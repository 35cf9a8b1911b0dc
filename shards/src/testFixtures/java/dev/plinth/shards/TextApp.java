package dev.plinth.shards;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.plinth.shards.store.Row;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The smallest app: texts by key. */
public final class TextApp implements ShardApp<Map<String, String>> {
  @Override
  public String prefix() {
    return "text/";
  }

  @Override
  public Map<String, String> open(List<Row> rows, Tx tx) {
    Map<String, String> texts = new TreeMap<>();
    rows.forEach(
        row -> texts.put(row.key().substring(prefix().length()), new String(row.value(), UTF_8)));
    return texts;
  }

  /** Answers the text that was there before. */
  public static Command<Map<String, String>, String> put(String key, String text) {
    return (state, tx, reply) -> {
      String before = state.put(key, text);
      tx.put("text/" + key, text.getBytes(UTF_8));
      tx.emit(new Event(key, text, text.length()));
      reply.send(tx, before == null ? "" : before);
    };
  }

  public static Command<Map<String, String>, String> get(String key) {
    return (state, tx, reply) -> reply.send(tx, state.getOrDefault(key, ""));
  }

  static IdempotentRequest<String> request(String id, String body) {
    return new IdempotentRequest<>(
        RequestId.of(id), body.hashCode(), s -> s.getBytes(UTF_8), b -> new String(b, UTF_8));
  }
}
