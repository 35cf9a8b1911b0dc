package dev.plinth.client.config;

import java.util.Optional;

/** Hears of changes of a config, one call after the other on a thread that may block. */
public interface ConfigListener<T> {
  /**
   * @param before empty if there was none
   * @throws Exception to reject the change
   */
  void onChange(Optional<T> before, T now) throws Exception;
}
