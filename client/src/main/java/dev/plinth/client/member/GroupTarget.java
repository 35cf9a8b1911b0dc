package dev.plinth.client.member;

import dev.plinth.registry.v1.LabelFilter;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A target of a channel, {@code plinth://NAMESPACE/GROUP?server=HOST:PORT&endpoint=NAME&label.K=V}.
 * Without a namespace it is "default", without an endpoint "grpc".
 *
 * @param server where the registry is; empty if the target does not say
 */
record GroupTarget(
    String namespace,
    String group,
    String endpoint,
    Optional<String> server,
    List<LabelFilter> filters) {
  static final String SCHEME = "plinth";
  private static final String LABEL = "label.";

  static GroupTarget of(URI uri) {
    String path = Optional.ofNullable(uri.getPath()).orElse("");
    String group = path.startsWith("/") ? path.substring(1) : path;
    if (!SCHEME.equals(uri.getScheme()) || group.isEmpty() || group.contains("/")) {
      throw bad(uri, "a group after plinth:///");
    }
    String namespace =
        Optional.ofNullable(uri.getAuthority()).filter(name -> !name.isEmpty()).orElse("default");
    String endpoint = "grpc";
    Optional<String> server = Optional.empty();
    List<LabelFilter> filters = new ArrayList<>();
    String query = Optional.ofNullable(uri.getRawQuery()).orElse("");
    for (String parameter : query.isEmpty() ? new String[0] : query.split("&")) {
      int equals = parameter.indexOf('=');
      String key = decode(equals < 0 ? parameter : parameter.substring(0, equals));
      String value = equals < 0 ? "" : decode(parameter.substring(equals + 1));
      if (key.equals("server")) {
        server = Optional.of(value);
      } else if (key.equals("endpoint")) {
        endpoint = value;
      } else if (key.startsWith(LABEL)) {
        filters.add(
            LabelFilter.newBuilder()
                .setKey(key.substring(LABEL.length()))
                .addValues(value)
                .build());
      } else {
        throw bad(uri, "no other parameters than server, endpoint and label.KEY");
      }
    }
    return new GroupTarget(namespace, group, endpoint, server, List.copyOf(filters));
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private static IllegalArgumentException bad(URI uri, String expected) {
    return new IllegalArgumentException("target: " + uri + " (expected: " + expected + ")");
  }
}
