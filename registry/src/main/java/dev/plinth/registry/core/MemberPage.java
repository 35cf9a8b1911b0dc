package dev.plinth.registry.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Some members of a namespace in the order of groups and names.
 *
 * @param next where to go on; empty after the last page
 * @param held members that a mass expiry holds back, of all that were asked for
 */
public record MemberPage(List<MemberView> members, Optional<Position> next, int held) {
  // Members looked at for each that a page has room for, since filters leave some out.
  private static final int MAX_VISITS_EACH = 10;
  static final int MAX_BYTES = 1 << 20;

  /**
   * The last member that was looked at; without a name if it is to begin with the group's first.
   */
  public record Position(String group, String member) {
    public static final Position START = new Position("", "");
  }

  /**
   * What is asked for.
   *
   * @param group all if empty
   * @param after goes on after this one
   */
  public record Request(
      String namespace, String group, List<LabelFilter> filters, Position after, int size) {}

  /** Gathers a page member by member. */
  static final class Builder {
    private final Request request;
    private final List<MemberView> members = new ArrayList<>();
    private Position last;
    private long visits;
    private int bytes;
    private boolean full;

    Builder(Request request) {
      this.request = request;
    }

    /** False if the page is full before all of the group is on it. */
    boolean add(MemberGroup group) {
      boolean resumes = group.name.equals(request.after().group());
      String after = resumes ? request.after().member() : "";
      if (isFull()) {
        full = true;
        return false;
      }
      // Those of ended members alone are many at times, and cost a visit too.
      visits++;
      last = new Position(group.name, after);
      for (Member member : group.there.tailMap(after, false).values()) {
        if (isFull()) {
          full = true;
          return false;
        }
        visits++;
        last = new Position(group.name, member.name.member());
        if (LabelFilter.all(request.filters(), member.attributes.labels())) {
          MemberView view = member.view();
          members.add(view);
          bytes += view.bytes();
        }
      }
      return true;
    }

    private boolean isFull() {
      return members.size() == request.size()
          || visits >= (long) request.size() * MAX_VISITS_EACH
          || bytes >= MAX_BYTES;
    }

    MemberPage build(int held) {
      return new MemberPage(members, full ? Optional.of(last) : Optional.empty(), held);
    }
  }
}
