package dev.plinth.simulation.network;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A channel to several servers, as a load balancer makes it: each call goes to the next one, or all
 * go to one for as long as it answers.
 */
public final class SpreadChannel extends ManagedChannel {
  private final List<ManagedChannel> channels;
  private final boolean inTurn;
  private int current;

  /**
   * @param inTurn whether each call goes to the next server
   */
  public SpreadChannel(List<ManagedChannel> channels, int first, boolean inTurn) {
    this.channels = List.copyOf(channels);
    this.current = first;
    this.inTurn = inTurn;
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    int to = current;
    if (inTurn) {
      leave(to);
    }
    return new SimpleForwardingClientCall<>(channels.get(to).newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                if (status.getCode() == Status.Code.UNAVAILABLE) {
                  leave(to);
                }
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }

  private void leave(int server) {
    if (current == server) {
      current = (current + 1) % channels.size();
    }
  }

  /** Its user takes the connection for dead. */
  @Override
  public void enterIdle() {
    leave(current);
  }

  @Override
  public String authority() {
    return channels.get(current).authority();
  }

  @Override
  public ManagedChannel shutdown() {
    channels.forEach(ManagedChannel::shutdown);
    return this;
  }

  @Override
  public ManagedChannel shutdownNow() {
    channels.forEach(ManagedChannel::shutdownNow);
    return this;
  }

  @Override
  public boolean isShutdown() {
    return channels.stream().allMatch(ManagedChannel::isShutdown);
  }

  @Override
  public boolean isTerminated() {
    return channels.stream().allMatch(ManagedChannel::isTerminated);
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    for (ManagedChannel channel : channels) {
      if (!channel.awaitTermination(timeout, unit)) {
        return false;
      }
    }
    return true;
  }
}
