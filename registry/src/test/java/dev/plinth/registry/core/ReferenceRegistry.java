package dev.plinth.registry.core;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a registry must know, in the simplest way; time moves a tick at a time. */
final class ReferenceRegistry {
  private static final long TTL = CoreTest.TTL.toNanos();

  final Map<SessionKey, Session> sessions = new HashMap<>();
  final Map<MemberName, Long> there = new TreeMap<>(Comparator.comparing(MemberName::path));
  private final Map<MemberName, SessionKey> owners = new HashMap<>();

  /** A session: when it was heard of or taken over, and when its members are to die. */
  static final class Session {
    long base;
    boolean suspect;
    long deadAt;

    Session(long base, boolean suspect, long deadAt) {
      this.base = base;
      this.suspect = suspect;
      this.deadAt = deadAt;
    }
  }

  ReferenceRegistry copy() {
    ReferenceRegistry copy = new ReferenceRegistry();
    sessions.forEach((key, s) -> copy.sessions.put(key, new Session(s.base, s.suspect, s.deadAt)));
    copy.there.putAll(there);
    copy.owners.putAll(owners);
    return copy;
  }

  void open(SessionKey key, long now) {
    sessions.put(key, new Session(now, false, now + 2 * TTL));
  }

  boolean isOpen(SessionKey key) {
    return sessions.containsKey(key);
  }

  void beat(SessionKey key, long now) {
    open(key, now);
  }

  void suspect(SessionKey key) {
    sessions.get(key).suspect = true;
  }

  void takeOver(long now) {
    for (Session session : sessions.values()) {
      session.base = now;
      session.deadAt = now + (session.suspect ? TTL : 2 * TTL);
    }
  }

  void advance(long now) {
    for (Session session : sessions.values()) {
      session.suspect |= now - session.base >= TTL;
    }
    sessions.entrySet().removeIf(entry -> isOver(entry.getKey(), now));
  }

  /** A session whose time is over lives on as long as some of its members are held back. */
  private boolean isOver(SessionKey key, long now) {
    Session session = sessions.get(key);
    return session.suspect && now >= session.deadAt && membersOf(key) == 0;
  }

  boolean isTaken(MemberName name, SessionKey by) {
    SessionKey owner = owners.get(name);
    return owner != null && !owner.equals(by) && !sessions.get(owner).suspect;
  }

  void register(MemberName name, SessionKey key, long incarnation) {
    there.put(name, incarnation);
    owners.put(name, key);
  }

  void end(MemberName name, long now) {
    there.remove(name);
    SessionKey owner = owners.remove(name);
    if (isOver(owner, now)) {
      sessions.remove(owner);
    }
  }

  void close(SessionKey key) {
    sessions.remove(key);
    there.keySet().removeIf(name -> key.equals(owners.get(name)));
    owners.values().removeIf(key::equals);
  }

  int membersOf(SessionKey key) {
    return (int) owners.values().stream().filter(key::equals).count();
  }

  Session sessionOf(MemberName name) {
    return sessions.get(owners.get(name));
  }
}
