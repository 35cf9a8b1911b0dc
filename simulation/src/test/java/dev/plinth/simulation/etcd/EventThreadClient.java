package dev.plinth.simulation.etcd;

import io.etcd.jetcd.Client;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/** jetcd's client, whose calls run on the thread of the model's events. */
record EventThreadClient(Client client, ModelEtcd etcd) {
  static Client of(Client client, ModelEtcd etcd) {
    EventThreadClient calls = new EventThreadClient(client, etcd);
    return calls.proxy(Client.class, (proxy, method, args) -> calls.part(method));
  }

  /** The client of one service, or the end of all. */
  private Object part(Method method) throws ReflectiveOperationException {
    if (method.getName().equals("close")) {
      etcd.events().execute(client::close);
      return null;
    }
    Object service = method.invoke(client);
    return proxy(
        method.getReturnType(),
        (proxy, call, args) -> etcd.call(() -> invoke(service, call, args)));
  }

  private <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @SuppressWarnings("unchecked")
  private static CompletableFuture<Object> invoke(Object service, Method method, Object[] args) {
    try {
      return (CompletableFuture<Object>) method.invoke(service, args);
    } catch (InvocationTargetException e) {
      return CompletableFuture.failedFuture(e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
