package dev.plinth.shards.request;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.RequestId;
import org.junit.jupiter.api.Test;

class NoEffectAnswersTest {
  private static final int MAX_BYTES = 1 << 20;

  @Test
  void answers_areBoundedByBytes() {
    NoEffectAnswers answers = new NoEffectAnswers(MAX_BYTES);
    for (int i = 0; i < 16_384; i++) {
      answers.add(RequestId.of("r" + i), new RememberedAnswer(0, new byte[13_500]));
      assertTrue(answers.bytes() <= MAX_BYTES);
    }
    assertTrue(answers.bytes() > MAX_BYTES / 2);
  }
}
