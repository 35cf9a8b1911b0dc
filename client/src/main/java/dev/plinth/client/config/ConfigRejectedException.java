package dev.plinth.client.config;

/** A group that is not applied; what was there stays. */
final class ConfigRejectedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String config;

  ConfigRejectedException(String config, String why) {
    super(why);
    this.config = config;
  }

  ConfigRejectedException(String config, Throwable why) {
    super(why.toString(), why);
    this.config = config;
  }

  /** The one at fault. */
  String config() {
    return config;
  }
}
