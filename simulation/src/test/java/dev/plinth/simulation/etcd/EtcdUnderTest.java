package dev.plinth.simulation.etcd;

import com.google.protobuf.Message;

/** The model or the real etcd: both take etcd's own requests. */
interface EtcdUnderTest {
  /** Throws StatusRuntimeException where it is refused. */
  Message call(Message request);
}
