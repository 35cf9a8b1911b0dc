package dev.plinth.simulation.etcd;

import com.google.protobuf.MessageLite;

/** Decides the fate of each request when it is sent. */
public interface RequestFates {
  /**
   * @param client the name under which the sender has connected
   * @param request etcd's own message
   */
  RequestFate decide(String client, MessageLite request);
}
