package dev.plinth.client.config;

/**
 * Makes a value of the content of a config, and decides by that whether it is valid. Called on a
 * thread that may block, never twice at a time for an agent.
 */
public interface ConfigDecoder<T> {
  /**
   * @param content not changed by anybody
   * @throws Exception if the content is not valid: it is rejected, and what was there stays
   */
  T decode(byte[] content) throws Exception;
}
