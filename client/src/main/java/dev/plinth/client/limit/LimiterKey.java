package dev.plinth.client.limit;

import dev.plinth.ratelimit.v1.Descriptor;
import java.util.List;
import java.util.Map;

/** What is limited. */
record LimiterKey(String domain, Map<String, String> properties) {
  LimiterKey {
    properties = Map.copyOf(properties);
  }

  List<Descriptor> descriptors() {
    return properties.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            property ->
                Descriptor.newBuilder()
                    .setKey(property.getKey())
                    .setValue(property.getValue())
                    .build())
        .toList();
  }
}
