package dev.plinth.ratelimit.core;

import java.util.List;
import java.util.Optional;

/** Something that may be done or not. */
public record Check(
    List<Descriptor> descriptors, long cost, boolean partial, Optional<Request.Once> once) {}
