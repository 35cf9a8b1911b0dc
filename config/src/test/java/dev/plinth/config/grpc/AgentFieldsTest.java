package dev.plinth.config.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.plinth.config.core.AgentAck;
import dev.plinth.config.v1.Ack;
import dev.plinth.config.v1.AckState;
import dev.plinth.server.failure.Failure;
import org.junit.jupiter.api.Test;

/** What an ack must not say. */
class AgentFieldsTest {
  private static Ack.Builder good() {
    return Ack.newBuilder()
        .setGroup("limits")
        .setEpoch(1)
        .setGeneration(2)
        .setState(AckState.ACK_STATE_REJECTED)
        .setError("no");
  }

  private static void refused(String field, Ack.Builder ack) {
    Failure.Invalid refusal =
        assertThrows(Failure.Invalid.class, () -> AgentFields.ack(ack.build()));
    assertEquals(field, refusal.violations().get(0).field());
  }

  @Test
  void badField_isRefusedByName() {
    refused("ack.group", good().setGroup("No"));
    refused("ack.epoch", good().setEpoch(0));
    refused("ack.generation", good().setGeneration(0));
    refused("ack.state", good().setState(AckState.ACK_STATE_UNSPECIFIED));
    refused("ack.state", good().setStateValue(99));
    refused("ack.error", good().setError(" "));
    refused("ack.error", good().setError("x".repeat(1025)));
    refused("ack.error", good().setState(AckState.ACK_STATE_APPLIED));
    refused("ack.config", good().setConfig("No"));
    refused("ack.config", good().setState(AckState.ACK_STATE_STAGED).setError("").setConfig("a"));
  }

  @Test
  void error_isOneLine_andCut() {
    AgentAck ack = AgentFields.ack(good().setError("a\nb\u202e" + "x".repeat(900)).build());
    assertEquals("a b x", ack.error().substring(0, 5));
    assertEquals(256, ack.error().length());
  }
}
