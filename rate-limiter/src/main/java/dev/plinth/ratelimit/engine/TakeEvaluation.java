package dev.plinth.ratelimit.engine;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Operation.Take;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Evaluates one take: all of it is decided on drafts, then written. */
final class TakeEvaluation {
  private final Take take;
  private final long now;
  private final BudgetDraft[] drafts; // null for a concurrency limit, which is only looked at
  private final SlotTable slotTable;

  private long part = Long.MAX_VALUE; // of the cost that is granted, where not all of it must be
  private int admitted;
  private long granted;
  private long leased;
  private long delay;
  private long retry;

  TakeEvaluation(Take take, RowTable<BudgetState> states, SlotTable slotTable, long now) {
    this.take = take;
    this.now = now;
    this.slotTable = slotTable;
    this.drafts = new BudgetDraft[take.charges().size()];
    for (int i = 0; i < drafts.length; i++) {
      Budget budget = take.charges().get(i).budget();
      if (!(budget.limit() instanceof Limit.Concurrency)) {
        drafts[i] = new BudgetDraft(states, budget, now);
      } else if (cost(i) > 0) {
        throw new IllegalArgumentException(
            budget.key() + ": cost " + cost(i) + " of a concurrency limit (expected: a slot)");
      }
    }
  }

  Outcome decide() {
    for (BudgetDraft draft : drafts) {
      if (draft != null && draft.isStale()) {
        return new Outcome.Stale(draft.version());
      }
    }
    admit();
    granted = admitted > 0 ? largest() : 0;
    charge();
    if (admitted < take.count()) {
      deny();
    } else if (take.lease() > 0) {
      lease();
    }
    for (int i = 0; i < drafts.length; i++) {
      if (drafts[i] != null && (cost(i) > 0 || take.lease() > 0)) {
        drafts[i].write();
      }
    }
    return new Outcome.Taken(admitted, granted, leased, delay, retry, standings());
  }

  /** What one check takes of a budget. */
  private long cost(int i) {
    return Math.min(take.charges().get(i).cost(), part);
  }

  private long largest() {
    long largest = 0;
    for (int i = 0; i < drafts.length; i++) {
      largest = Math.max(largest, cost(i));
    }
    return largest;
  }

  private boolean isEnforced(int i) {
    return drafts[i] != null && drafts[i].isEnforced() && take.charges().get(i).cost() > 0;
  }

  private void admit() {
    if (take.partial()) {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < drafts.length; i++) {
        least = isEnforced(i) ? Math.min(least, drafts[i].level.available(now)) : least;
      }
      admitted = least > 0 ? 1 : 0;
      part = Math.max(1, least);
      return;
    }
    long room = take.count();
    for (int i = 0; i < drafts.length; i++) {
      if (isEnforced(i)) {
        room = Math.min(room, room(i));
        delay = Math.max(delay, drafts[i].level.retry(cost(i), now));
      }
    }
    admitted = (int) room;
    delay = admitted > 0 ? delay : 0;
  }

  /** How many of the checks one budget has room for. */
  private long room(int i) {
    return take.count() == 1
        ? (drafts[i].admits(cost(i), take.maxWait()) ? 1 : 0)
        : drafts[i].level.countAdmitted(cost(i), now);
  }

  private void charge() {
    for (int i = 0; i < drafts.length; i++) {
      if (cost(i) > 0) {
        BudgetDraft draft = drafts[i];
        boolean always = take.charges().get(i).always();
        long room = always || !draft.isEnforced() ? room(i) : admitted;
        long expected = always && draft.isEnforced() ? take.count() : admitted;
        draft.over = room < expected;
        draft.charge((always ? take.count() : Math.min(admitted, room)) * cost(i));
      }
    }
  }

  /** Says when the next check would pass, and whose fault it is that it does not. */
  private void deny() {
    for (int i = 0; i < drafts.length; i++) {
      if (isEnforced(i) && !drafts[i].admits(cost(i), take.maxWait())) {
        drafts[i].over |= !take.charges().get(i).always();
        long wait = drafts[i].level.retry(cost(i), now);
        retry = retry < 0 || wait < 0 ? Outcome.NEVER : Math.max(retry, wait);
      }
    }
  }

  private void lease() {
    leased = leasable();
    if (leased > 0) {
      for (BudgetDraft draft : drafts) {
        if (draft != null) {
          draft.lend(leased);
        }
      }
    }
  }

  private long leasable() {
    long most = take.lease();
    boolean any = false;
    for (BudgetDraft draft : drafts) {
      if (draft != null && draft.isEnforced()) {
        if (draft.budget.lending().isEmpty()) {
          return 0;
        }
        any = true;
        long room = draft.budget.lending().get().max() - draft.leases.out();
        most = Math.min(most, Math.min(room, draft.level.available(now) / 2));
      }
    }
    return any ? Math.max(0, most) : 0;
  }

  /** What the ticket notes, or null if nothing was granted. A lease is settled without the cost. */
  TicketRow ticket(long ttl) {
    boolean isLease = take.lease() > 0;
    long amount = isLease ? leased : granted;
    if (amount == 0) {
      return null;
    }
    List<TicketRow.Part> parts = new ArrayList<>(drafts.length);
    for (BudgetDraft draft : drafts) {
      long charged = draft == null ? 0 : isLease ? draft.leased : draft.charged;
      if (charged > 0) {
        parts.add(draft.part(charged, isLease));
      }
    }
    return new TicketRow(amount, now, now + delay + ttl, parts);
  }

  private List<Outcome.Standing> standings() {
    Outcome.Standing[] standings = new Outcome.Standing[drafts.length];
    for (int i = 0; i < drafts.length; i++) {
      standings[i] =
          drafts[i] == null
              ? slotTable.standing(take.charges().get(i).budget(), false, now)
              : drafts[i].standing();
    }
    return Arrays.asList(standings);
  }
}
