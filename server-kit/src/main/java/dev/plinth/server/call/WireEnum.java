package dev.plinth.server.call;

import java.util.EnumMap;
import java.util.Map;

/**
 * An enum of the domain as that of a proto, by name: {@code SHARED} is {@code MODE_SHARED}. One
 * that the proto has not is found when the mapping is made, not when it is used.
 */
public final class WireEnum<D extends Enum<D>, W extends Enum<W>> {
  private final Map<D, W> wire;

  /**
   * @param prefix of the proto's names, such as {@code MODE_}
   */
  public WireEnum(Class<D> domain, Class<W> wire, String prefix) {
    this.wire = new EnumMap<>(domain);
    for (D value : domain.getEnumConstants()) {
      this.wire.put(value, Enum.valueOf(wire, prefix + value.name()));
    }
  }

  public W of(D value) {
    return wire.get(value);
  }
}
