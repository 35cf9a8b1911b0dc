package dev.plinth.ratelimit.envoy;

/** A configuration that is none, or that no policy can express; says where and why. */
public final class EnvoyConfigException extends RuntimeException {
  private static final long serialVersionUID = 1;

  EnvoyConfigException(String file, int line, String why) {
    super(file + ":" + line + ": " + why);
  }
}
