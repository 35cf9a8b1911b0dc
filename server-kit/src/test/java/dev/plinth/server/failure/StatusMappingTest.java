package dev.plinth.server.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.PreconditionFailure;
import com.google.rpc.QuotaFailure;
import com.google.rpc.ResourceInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.Failure.Resource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class StatusMappingTest {
  private static final ErrorReason REASON = ErrorReason.ERROR_REASON_QUOTA_EXCEEDED;
  private static final Duration SECOND = Duration.ofSeconds(1);

  record Case(Failure failure, Code code, List<String> details) {}

  static List<Case> cases() {
    Resource lease = new Resource("lease", "printer");
    return List.of(
        new Case(
            Failure.Invalid.field("ttl", "0s", "1s..1h"),
            Code.INVALID_ARGUMENT,
            List.of("BadRequest")),
        new Case(new Failure.Missing(REASON, lease), Code.NOT_FOUND, List.of("ResourceInfo")),
        new Case(new Failure.Exists(REASON, lease), Code.ALREADY_EXISTS, List.of("ResourceInfo")),
        new Case(new Failure.Conflict(REASON, "5, not 4", Map.of()), Code.ABORTED, List.of()),
        new Case(
            new Failure.Forbidden(REASON, "printer", "token 4 is stale", Map.of("token", "4")),
            Code.FAILED_PRECONDITION,
            List.of("PreconditionFailure")),
        new Case(new Failure.OutOfRange(REASON, "gone", Map.of()), Code.OUT_OF_RANGE, List.of()),
        new Case(
            new Failure.Exhausted(REASON, "ns/default", "full", SECOND),
            Code.RESOURCE_EXHAUSTED,
            List.of("QuotaFailure", "RetryInfo")),
        new Case(
            new Failure.Unavailable(REASON, "moving", SECOND, Map.of()),
            Code.UNAVAILABLE,
            List.of("RetryInfo")),
        new Case(
            Failure.StoreUnavailable.notApplied("etcd", "away", null),
            Code.UNAVAILABLE,
            List.of("RetryInfo")),
        new Case(new Failure.Unauthenticated(REASON, "who?"), Code.UNAUTHENTICATED, List.of()),
        new Case(
            new Failure.Denied(REASON, "not yours", Map.of()), Code.PERMISSION_DENIED, List.of()),
        new Case(new Failure.Corrupt(REASON, "bad bytes", null), Code.DATA_LOSS, List.of()));
  }

  /** gRPC's own clients take 8 KiB of headers. */
  @Test
  void longTexts_areCut_betweenCharacters() throws Exception {
    String euros = "\u20ac".repeat(5000);
    Status status = of(new Failure.Forbidden(REASON, "a", euros, Map.of("cycle", "x" + euros)));
    assertTrue(status.getSerializedSize() < 3000, () -> status.getSerializedSize() + " bytes");
    String cycle = status.getDetails(0).unpack(ErrorInfo.class).getMetadataOrDefault("cycle", "");
    assertTrue(cycle.matches("x\u20ac{150,}[.]{3}"), cycle);
    assertTrue(status.getMessage().matches("\u20ac{250,}[.]{3}"), status.getMessage());
  }

  @Test
  void cases_coverEveryKind() {
    Set<Class<?>> covered =
        cases().stream().map(c -> c.failure().getClass()).collect(Collectors.toSet());
    assertEquals(Set.of(Failure.class.getPermittedSubclasses()), covered);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void eachKind_hasItsCode_oneErrorInfo_andItsDetails(Case c) throws Exception {
    Status status = of(c.failure());
    assertEquals(c.code().getNumber(), status.getCode());
    assertEquals(c.failure().getMessage(), status.getMessage());
    assertEquals(
        Stream.concat(Stream.of("ErrorInfo"), c.details().stream()).toList(), names(status));

    ErrorInfo info = status.getDetails(0).unpack(ErrorInfo.class);
    assertEquals("plinth.dev", info.getDomain());
    assertEquals(StatusMapping.wire(c.failure().reason()), info.getReason());
    assertEquals(c.failure().metadata(), info.getMetadataMap());
  }

  @Test
  void invalid_namesFieldValueAndWhatWasExpected() throws Exception {
    Status status = of(Failure.Invalid.field("ttl", "0s", "1s..1h"));
    assertEquals("ttl: 0s (expected: 1s..1h)", status.getMessage());
    BadRequest.FieldViolation violation =
        status.getDetails(1).unpack(BadRequest.class).getFieldViolations(0);
    assertEquals("ttl", violation.getField());
    assertEquals("0s (expected: 1s..1h)", violation.getDescription());
    assertEquals("FIELD_INVALID", violation.getReason());
  }

  @Test
  void missing_namesTheResource() throws Exception {
    Status status = of(new Failure.Missing(REASON, new Resource("lease", "printer")));
    ResourceInfo resource = status.getDetails(1).unpack(ResourceInfo.class);
    assertEquals("lease", resource.getResourceType());
    assertEquals("printer", resource.getResourceName());
  }

  @Test
  void forbidden_namesTheSubject() throws Exception {
    Status status = of(new Failure.Forbidden(REASON, "printer", "stale", Map.of()));
    PreconditionFailure.Violation violation =
        status.getDetails(1).unpack(PreconditionFailure.class).getViolations(0);
    assertEquals("printer", violation.getSubject());
    assertEquals("QUOTA_EXCEEDED", violation.getType());
  }

  @Test
  void exhausted_tellsExactlyWhenToComeBack() throws Exception {
    Status status = of(new Failure.Exhausted(REASON, "ns/default", "full", SECOND));
    assertEquals(
        "ns/default",
        status.getDetails(1).unpack(QuotaFailure.class).getViolations(0).getSubject());
    assertEquals(
        Durations.fromSeconds(1), status.getDetails(2).unpack(RetryInfo.class).getRetryDelay());
  }

  @Test
  void unavailable_spreadsReturnsOverHalfTheDelay() throws Exception {
    for (int i = 0; i < 100; i++) {
      Status status = of(new Failure.Unavailable(REASON, "m", SECOND, Map.of()));
      long millis =
          Durations.toMillis(status.getDetails(1).unpack(RetryInfo.class).getRetryDelay());
      assertTrue(millis >= 1000 && millis <= 1500, "delay " + millis);
    }
  }

  @Test
  void storeUnavailable_tellsWhetherTheOutcomeIsOpen() throws Exception {
    assertEquals("STORE_UNAVAILABLE", reason(Failure.StoreUnavailable.notApplied("e", "m", null)));
    assertEquals(
        "OUTCOME_PENDING", reason(Failure.StoreUnavailable.outcomeUnknown("e", "m", null)));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNRECOGNIZED")
  void everyReason_hasAWireForm(ErrorReason reason) {
    assertTrue(StatusMapping.wire(reason).matches("[A-Z][A-Z0-9_]{1,61}[A-Z0-9]"));
  }

  private static String reason(Failure failure) throws Exception {
    return of(failure).getDetails(0).unpack(ErrorInfo.class).getReason();
  }

  private static List<String> names(Status status) {
    return status.getDetailsList().stream()
        .map(Any::getTypeUrl)
        .map(url -> Arrays.asList(url.split("\\.")))
        .map(parts -> parts.get(parts.size() - 1))
        .toList();
  }

  private static Status of(Failure failure) {
    return StatusMapping.of(failure, RandomGenerator.getDefault());
  }
}
