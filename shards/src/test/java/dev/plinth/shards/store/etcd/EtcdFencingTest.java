package dev.plinth.shards.store.etcd;

import dev.plinth.testkit.engine.Engines;
import dev.plinth.testkit.engine.SharedEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("engine")
class EtcdFencingTest extends FencingContract {
  @RegisterExtension static final SharedEngine ETCD = Engines.etcd();

  EtcdFencingTest() {
    super(new Stores(ETCD));
  }
}
