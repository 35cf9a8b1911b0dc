package dev.plinth.server.failure;

import dev.plinth.error.v1.ErrorReason;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A refusal or breakdown with a defined answer, free of gRPC: {@link StatusMapping} gives each kind
 * its status and details. The metadata holds every variable of the message, so that a caller need
 * not parse text. Carries no stack trace: it is an answer, not a bug.
 */
public abstract sealed class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorReason reason;
  private final transient Map<String, String> metadata;

  private Failure(
      ErrorReason reason, String message, Map<String, String> metadata, Throwable cause) {
    super(message, cause, false, false);
    this.reason = reason;
    // In an order that is the same in every process: it goes over the wire.
    this.metadata = Collections.unmodifiableMap(new TreeMap<>(metadata));
  }

  public ErrorReason reason() {
    return reason;
  }

  public Map<String, String> metadata() {
    return metadata;
  }

  /** The request itself is wrong; nothing was changed. */
  public static final class Invalid extends Failure {
    private static final long serialVersionUID = 1;

    /** A field by its proto path, and what is wrong with it. */
    public record Violation(String field, String description) {}

    private final transient List<Violation> violations;

    public Invalid(ErrorReason reason, List<Violation> violations) {
      super(
          reason,
          String.join("; ", violations.stream().map(v -> v.field + ": " + v.description).toList()),
          Map.of("field", violations.get(0).field),
          null);
      this.violations = List.copyOf(violations);
    }

    /** {@code ttl: 0s (expected: 1s..1h)}. */
    public static Invalid field(String field, Object value, String expected) {
      return new Invalid(
          ErrorReason.ERROR_REASON_FIELD_INVALID,
          List.of(new Violation(field, value + " (expected: " + expected + ")")));
    }

    public List<Violation> violations() {
      return violations;
    }
  }

  /** A thing by its kind and name, for the failures that are about one. */
  public record Resource(String kind, String name) {
    private Map<String, String> metadata() {
      return Map.of("kind", kind, "name", name);
    }
  }

  /** The named thing is not there. */
  public static final class Missing extends Failure {
    private static final long serialVersionUID = 1;
    private final transient Resource resource;

    public Missing(ErrorReason reason, Resource resource) {
      super(reason, resource.kind + " " + resource.name + " not found", resource.metadata(), null);
      this.resource = resource;
    }

    public Resource resource() {
      return resource;
    }
  }

  /** The named thing is there already. */
  public static final class Exists extends Failure {
    private static final long serialVersionUID = 1;
    private final transient Resource resource;

    public Exists(ErrorReason reason, Resource resource) {
      super(reason, resource.kind + " " + resource.name + " exists", resource.metadata(), null);
      this.resource = resource;
    }

    public Resource resource() {
      return resource;
    }
  }

  /** Another writer came first: read again, then retry the whole sequence. */
  public static final class Conflict extends Failure {
    private static final long serialVersionUID = 1;

    public Conflict(ErrorReason reason, String message, Map<String, String> metadata) {
      super(reason, message, metadata, null);
    }
  }

  /** The state forbids it, and will until somebody changes the state: stop acting. */
  public static final class Forbidden extends Failure {
    private static final long serialVersionUID = 1;
    private final String subject;

    public Forbidden(
        ErrorReason reason, String subject, String message, Map<String, String> metadata) {
      super(reason, message, metadata, null);
      this.subject = subject;
    }

    public String subject() {
      return subject;
    }
  }

  /** The asked position is no longer, or not yet, there. */
  public static final class OutOfRange extends Failure {
    private static final long serialVersionUID = 1;

    public OutOfRange(ErrorReason reason, String message, Map<String, String> metadata) {
      super(reason, message, metadata, null);
    }
  }

  /** A quota, a queue or a rate is used up. */
  public static final class Exhausted extends Failure {
    private static final long serialVersionUID = 1;
    private final String subject;
    private final Duration retryAfter;

    public Exhausted(ErrorReason reason, String subject, String message, Duration retryAfter) {
      super(reason, message, Map.of("subject", subject), null);
      this.subject = subject;
      this.retryAfter = retryAfter;
    }

    public String subject() {
      return subject;
    }

    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** This node cannot answer now; nothing was changed. */
  public static final class Unavailable extends Failure {
    private static final long serialVersionUID = 1;
    private final Duration retryAfter;

    public Unavailable(
        ErrorReason reason, String message, Duration retryAfter, Map<String, String> metadata) {
      super(reason, message, metadata, null);
      this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
      return retryAfter;
    }
  }

  /** The only failure that a store's port throws: its engine did not answer, or not in time. */
  public static final class StoreUnavailable extends Failure {
    private static final long serialVersionUID = 1;
    private final boolean mayHaveApplied;

    private StoreUnavailable(
        ErrorReason reason,
        String engine,
        String message,
        boolean mayHaveApplied,
        Throwable cause) {
      super(reason, engine + ": " + message, Map.of("engine", engine), cause);
      this.mayHaveApplied = mayHaveApplied;
    }

    /** Nothing was written. */
    public static StoreUnavailable notApplied(String engine, String message, Throwable cause) {
      return new StoreUnavailable(
          ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, engine, message, false, cause);
    }

    /** Nothing was written: the engine takes no writes, though it answers. */
    public static StoreUnavailable readOnly(String engine, String message) {
      return new StoreUnavailable(
          ErrorReason.ERROR_REASON_STORE_READ_ONLY, engine, message, false, null);
    }

    /** The write was sent and its outcome is not known: only the same request id tells. */
    public static StoreUnavailable outcomeUnknown(String engine, String message, Throwable cause) {
      return new StoreUnavailable(
          ErrorReason.ERROR_REASON_OUTCOME_PENDING, engine, message, true, cause);
    }

    public boolean mayHaveApplied() {
      return mayHaveApplied;
    }
  }

  /** The caller did not say, or not credibly, who it is. */
  public static final class Unauthenticated extends Failure {
    private static final long serialVersionUID = 1;

    public Unauthenticated(ErrorReason reason, String message) {
      super(reason, message, Map.of(), null);
    }
  }

  /** The caller is known and may not. */
  public static final class Denied extends Failure {
    private static final long serialVersionUID = 1;

    public Denied(ErrorReason reason, String message, Map<String, String> metadata) {
      super(reason, message, metadata, null);
    }
  }

  /** Stored bytes are not what was written; an operator must look. */
  public static final class Corrupt extends Failure {
    private static final long serialVersionUID = 1;

    public Corrupt(ErrorReason reason, String message, Throwable cause) {
      super(reason, message, Map.of(), cause);
    }
  }
}
