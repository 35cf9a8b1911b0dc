package dev.plinth.simulation.workload.ids;

import dev.plinth.client.id.IdsUnavailableException;
import dev.plinth.client.id.RangeIdGenerator;
import dev.plinth.client.id.RangeOptions;
import dev.plinth.client.id.SnowflakeIdGenerator;
import dev.plinth.simulation.workload.client.ClientLife;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A thread of an application that takes ids from a generator of its client. */
final class IdCaller {
  private interface Generator {
    void next(long[] ids);
  }

  private final ClientLife life;
  private final IdChecks checks;
  private final SplittableRandom random;
  private final String name;
  private int opened;

  IdCaller(ClientLife life, IdChecks checks, int number) {
    this.life = life;
    this.checks = checks;
    this.random = life.random();
    this.name = life.name() + "/" + number;
  }

  /** Opens a generator, takes ids from it, and closes it. */
  void turn() throws InterruptedException {
    try {
      if (random.nextBoolean()) {
        RangeOptions how =
            RangeOptions.defaults()
                .firstRange(random.nextInt(40))
                .timeout(Duration.ofMillis(random.nextInt(3000)));
        try (RangeIdGenerator ids = life.client().ids().range(IdNames.RANGES, how)) {
          use(IdNames.RANGES, ids::next);
        }
      } else {
        try (SnowflakeIdGenerator ids = life.client().ids().snowflake(IdNames.SNOWFLAKES)) {
          use(IdNames.SNOWFLAKES, ids::next);
        }
      }
    } catch (IdsUnavailableException e) {
      life.log().count("no ids");
    }
  }

  private void use(String namespace, Generator ids) throws InterruptedException {
    String handle = name + " by " + namespace + " " + ++opened;
    int times = random.nextInt(1, 60);
    for (int i = 0; i < times && !life.isOver(); i++) {
      take(namespace, handle, ids);
      life.pause(random.nextInt(1, 500));
    }
  }

  private void take(String namespace, String handle, Generator ids) {
    life.log().count("operations");
    long[] taken = new long[random.nextInt(1, 12)];
    long asked = life.now();
    try {
      ids.next(taken);
      checks.given(namespace, handle, asked, life.now(), Arrays.stream(taken).boxed().toList());
      life.log().count("client ids");
    } catch (IdsUnavailableException e) {
      life.log().count("no ids");
    }
  }
}
