package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallContextTest {
  private final AtomicReference<CallContext> seen = new AtomicReference<>();
  private final InProcessHost host =
      InProcessHost.serving(
          new EchoService(
              (request, answer) -> {
                seen.set(CallContext.current().orElseThrow());
                answer.onNext(request);
                answer.onCompleted();
              }));

  @AfterEach
  void stop() {
    host.close();
  }

  @Test
  void call_isNamedByMethodAndAnIdOfItsOwn() {
    EchoService.say(host.channel(), "x");
    CallContext first = seen.get();
    EchoService.say(host.channel(), "x");
    assertEquals("test.EchoService/Say", first.method());
    assertTrue(first.id().matches("[0-9a-f]{12}"));
    assertNotEquals(first.id(), seen.get().id());
  }

  @Test
  void callersId_isTaken() {
    EchoService.say(withId("trace-7"), "x");
    assertEquals("trace-7", seen.get().id());
  }

  @Test
  void callersId_thatCouldForgeALogLine_isNot() {
    EchoService.say(withId("7 ERROR all is lost"), "x");
    assertTrue(seen.get().id().matches("[0-9a-f]{12}"));
  }

  private Channel withId(String id) {
    Metadata headers = new Metadata();
    headers.put(CallContext.ID_HEADER, id);
    return ClientInterceptors.intercept(
        host.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
  }
}
