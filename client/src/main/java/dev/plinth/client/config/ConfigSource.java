package dev.plinth.client.config;

/** Where the value of a config is from. */
public enum ConfigSource {
  /** The server has sent it, or confirmed that it is what this process is to have. */
  LIVE,

  /** The cache file; the server has not been heard of since the start. */
  CACHE,

  /** Built into the application. */
  BOOTSTRAP
}
