package dev.plinth.bench.ids;

import static dev.plinth.bench.ids.Maker.MANY;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.f4b6a3.ulid.UlidCreator;
import com.github.f4b6a3.uuid.UuidCreator;
import dev.plinth.client.id.Ulid;
import dev.plinth.client.id.UlidGenerator;
import dev.plinth.client.id.Uuid7Generator;
import java.util.List;
import java.util.UUID;
import me.ahoo.cosid.CosId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import me.ahoo.cosid.snowflake.SnowflakeId;

/** Makers that ask nobody. One instance serves all threads, as an application has it. */
final class Offline {
  private Offline() {}

  static List<Maker> makers() {
    return List.of(
        tsid(),
        cosIdSnowflake("CosId snowflake", new MillisecondSnowflakeId(1)),
        cosIdSnowflake("CosId snowflake, 18 bits of sequence", roomySnowflake()),
        ulid(),
        ulids(),
        uuidCreator(),
        uuidCreatorPlus(),
        generator(),
        uuid7s());
  }

  private static Maker tsid() {
    TsidFactory factory = TsidFactory.newInstance1024(1);
    return Maker.narrow(
        "tsid-creator, 1024 nodes",
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(factory.create().toLong());
          }
          return MANY;
        });
  }

  /** Of 12 bits of sequence, 4.1 M ids/s is all that anybody makes. */
  private static SnowflakeId roomySnowflake() {
    return new MillisecondSnowflakeId(CosId.COSID_EPOCH, 41, 4, 18, 1);
  }

  private static Maker cosIdSnowflake(String name, SnowflakeId ids) {
    return Maker.narrow(
        name,
        given -> {
          for (int i = 0; i < MANY; i++) {
            given.add(ids.generate());
          }
          return MANY;
        });
  }

  private static Maker ulid() {
    return Maker.wide(
        "ulid-creator, monotonic",
        given -> {
          for (int i = 0; i < MANY; i++) {
            com.github.f4b6a3.ulid.Ulid id = UlidCreator.getMonotonicUlid();
            given.add(id.getMostSignificantBits(), id.getLeastSignificantBits());
          }
          return MANY;
        });
  }

  private static Maker uuidCreator() {
    return Maker.wide(
        "uuid-creator, v7",
        given -> {
          for (int i = 0; i < MANY; i++) {
            UUID id = UuidCreator.getTimeOrderedEpoch();
            given.add(id.getMostSignificantBits(), id.getLeastSignificantBits());
          }
          return MANY;
        });
  }

  private static Maker uuidCreatorPlus() {
    return Maker.wide(
        "uuid-creator, v7 plus n",
        given -> {
          for (int i = 0; i < MANY; i++) {
            UUID id = UuidCreator.getTimeOrderedEpochPlusN();
            given.add(id.getMostSignificantBits(), id.getLeastSignificantBits());
          }
          return MANY;
        });
  }

  private static Maker generator() {
    TimeBasedEpochGenerator ids = Generators.timeBasedEpochGenerator();
    return Maker.wide(
        "java-uuid-generator, v7",
        given -> {
          for (int i = 0; i < MANY; i++) {
            UUID id = ids.generate();
            given.add(id.getMostSignificantBits(), id.getLeastSignificantBits());
          }
          return MANY;
        });
  }

  private static Maker ulids() {
    UlidGenerator ids = new UlidGenerator();
    return Maker.wide(
            "Plinth Ulids",
            given -> {
              for (int i = 0; i < MANY; i++) {
                Ulid id = ids.next();
                given.add(id.high(), id.low());
              }
              return MANY;
            })
        .asOurs();
  }

  private static Maker uuid7s() {
    Uuid7Generator ids = new Uuid7Generator();
    return Maker.wide(
            "Plinth Uuid7s",
            given -> {
              for (int i = 0; i < MANY; i++) {
                UUID id = ids.next();
                given.add(id.getMostSignificantBits(), id.getLeastSignificantBits());
              }
              return MANY;
            })
        .asOurs();
  }
}
