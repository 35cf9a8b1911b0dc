package dev.plinth.ratelimit.core;

import java.util.List;
import java.util.Optional;

/** Something that may be done or not. */
public record Check(
    List<Descriptor> descriptors, long cost, boolean partial, Optional<Request.Once> once) {

  /** The same, to have its effect once. */
  Check as(Request.Once request) {
    return new Check(descriptors, cost, partial, Optional.of(request));
  }
}
