package dev.plinth.client.internal.session;

import dev.plinth.lease.v1.Lease;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The highest token that this client has seen in each namespace. The server promises that a grant's
 * token is higher than that of every earlier grant in the namespace; one that is not says that the
 * server's store went back, as when it was restored from an older backup, and that others may hold
 * the key under tokens that are given out again.
 *
 * <p>What counts is what was seen before the request was first sent: answers overtake one another.
 * One number for a namespace, and one for each of the last elections that this client stood in.
 */
public final class TokenWatermarks {
  private static final int MAX_ELECTIONS = 1024;

  private final Map<String, Long> highest = new ConcurrentHashMap<>();
  private final Map<String, Long> leaders =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MAX_ELECTIONS;
        }
      };

  /** To be asked for before a request is sent; 0 if no token was seen. */
  public long highest(String namespace) {
    return highest.getOrDefault(namespace, 0L);
  }

  public void seen(String namespace, long token) {
    highest.merge(namespace, token, Math::max);
  }

  /** Of keys that a session held before this client had it. */
  public void resumed(List<Lease> held) {
    for (Lease lease : held) {
      seen(lease.getNamespace(), lease.getToken());
      seenLeader(lease.getNamespace(), lease.getKey(), lease.getToken());
    }
  }

  /**
   * Whether leadership may have this token: a new one, or the one under which this client led
   * before, which it has again if it comes back in time.
   *
   * @param before the highest of the namespace when it stood for election
   */
  public boolean isLeaders(String namespace, String key, long token, long before) {
    return token > before || isKnownLeader(namespace, key, token);
  }

  public void seenLeader(String namespace, String key, long token) {
    seen(namespace, token);
    synchronized (leaders) {
      leaders.merge(namespace + "/" + key, token, Math::max);
    }
  }

  private boolean isKnownLeader(String namespace, String key, long token) {
    synchronized (leaders) {
      return leaders.getOrDefault(namespace + "/" + key, 0L) == token;
    }
  }
}
