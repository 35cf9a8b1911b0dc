package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;

/** The budgets of one domain. Forgets nothing but what means nothing any more. */
public final class Model {
  private record Answer(String fingerprint, Outcome outcome, long until) {}

  private record Part(Budget budget, long charged) {}

  private record Ticket(long granted, long at, long until, boolean isLease, List<Part> parts) {}

  private final Map<String, ModelBudget> accounts = new HashMap<>();
  private final Map<String, Answer> answers = new HashMap<>();
  private final Map<String, Ticket> tickets = new HashMap<>();
  private final Map<String, Long> resets = new HashMap<>(); // the last time of each
  private final ModelSlots slots = new ModelSlots();

  /** What one request comes to at a time. */
  public Outcome apply(BudgetRequest request, long now) {
    if (request.idempotencyKey().isEmpty()) {
      return apply(request.operation(), now);
    }
    BudgetRequest.IdempotencyKey once = request.idempotencyKey().get();
    Answer before = answers.get(once.id());
    if (before != null && now < before.until) {
      return before.fingerprint.equals(once.fingerprint())
          ? again(request.operation(), before.outcome, now)
          : new Outcome.Reused();
    }
    Outcome outcome = apply(request.operation(), now);
    if (!(outcome instanceof Outcome.Stale || outcome instanceof Outcome.Reused)) {
      answers.put(once.id(), new Answer(once.fingerprint(), outcome, now + 600_000_000));
    }
    return outcome;
  }

  private Outcome again(Operation operation, Outcome before, long now) {
    return before instanceof Outcome.SlotOutcome slotted && slotted.acquired()
        ? slots.again((Operation.AcquireSlot) operation, slotted.token(), now)
        : before;
  }

  /**
   * Forgets what is over, and says what that was, by its names. A store may have dropped it by now
   * or not, which shows if the clock is stepped back: what is said of these names then is open.
   */
  Set<String> forget(long now) {
    Set<String> gone = slots.forget(now);
    forget(gone, accounts, account -> account.isForgotten(now));
    forget(gone, tickets, ticket -> now >= ticket.until);
    forget(gone, answers, answer -> now >= answer.until);
    return gone;
  }

  private static <V> void forget(Set<String> gone, Map<String, V> of, Predicate<V> isOver) {
    of.forEach((name, value) -> gone.addAll(isOver.test(value) ? Set.of(name) : Set.of()));
    of.keySet().removeAll(gone);
  }

  private Outcome apply(Operation operation, long now) {
    if (operation instanceof Operation.Take take) {
      return take(take, now);
    } else if (operation instanceof Operation.Settle settle) {
      return settle(settle.ticket(), granted -> settle.actual(), now);
    } else if (operation instanceof Operation.ReturnUnused rest) {
      return settle(rest.ticket(), granted -> granted - Math.min(granted, rest.unused()), now);
    } else if (operation instanceof Operation.Reset reset) {
      return reset(reset.budgets(), now);
    }
    return slots.apply(operation, now);
  }

  private ModelBudget account(String key, long now) {
    ModelBudget kept = accounts.get(key);
    return kept == null || kept.isForgotten(now) ? null : kept;
  }

  /** How a budget stands for a version of its rule; a copy, to be kept or not. */
  private ModelBudget view(Budget budget, long now) {
    ModelBudget kept = account(budget.key(), now);
    if (kept == null) {
      return new ModelBudget(budget.version(), now, ModelLimitState.none(budget.limit(), now));
    }
    ModelBudget view = kept.copy();
    view.seen(now);
    budget.lending().ifPresent(lending -> view.lendingSeen(now, lending.ttl()));
    view.convert(budget, now);
    view.last = now;
    return view;
  }

  private long version(Budget budget, long now) {
    ModelBudget kept = account(budget.key(), now);
    return kept == null ? 0 : kept.version;
  }

  private OptionalLong stale(List<Budget> budgets, long now) {
    return budgets.stream()
        .filter(budget -> version(budget, now) > budget.version())
        .mapToLong(budget -> version(budget, now))
        .findFirst();
  }

  private Outcome take(Operation.Take take, long now) {
    List<Budget> budgets = take.charges().stream().map(Charge::budget).toList();
    OptionalLong stale = stale(budgets, now);
    if (stale.isPresent()) {
      return new Outcome.Stale(stale.getAsLong());
    }
    long[] versions = budgets.stream().mapToLong(budget -> version(budget, now)).toArray();
    boolean[] over = new boolean[budgets.size()];
    ModelTake one = new ModelTake(take, over, now);
    int admitted = 0;
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < take.count(); i++) {
      one.views(b -> view(b, now));
      if (one.isAdmitted()) {
        admitted++;
        parts = keep(one.charge());
      } else {
        keep(one.chargeDenied());
        noteSteps(take, now);
      }
    }
    long leased = 0;
    if (take.lease() > 0 && admitted == take.count()) {
      one.views(b -> view(b, now));
      leased = one.leasable();
      parts = keep(one.lend(leased));
    }
    noteSteps(take, now);
    long granted = admitted > 0 ? one.granted() : 0;
    long delay = admitted > 0 ? one.delay() : 0;
    long noted = take.lease() > 0 ? leased : granted;
    if (take.ticket().isPresent() && noted > 0) {
      Operation.Ticket ticket = take.ticket().get();
      long until = now + delay + ticket.ttl();
      tickets.put(ticket.id(), new Ticket(noted, now, until, take.lease() > 0, parts));
    }
    List<Outcome.Standing> standings = new ArrayList<>();
    for (int i = 0; i < budgets.size(); i++) {
      ModelLimitState used = view(budgets.get(i), now).used;
      standings.add(
          new Outcome.Standing(used.available(now), used.reset(now), over[i], versions[i]));
    }
    long retry = admitted < take.count() ? one.retry() : 0;
    return new Outcome.Taken(admitted, granted, leased, delay, retry, standings);
  }

  private List<Part> keep(Map<Budget, ModelTake.Charged> charged) {
    List<Part> parts = new ArrayList<>();
    charged.forEach(
        (budget, change) -> {
          accounts.put(budget.key(), change.account());
          parts.add(new Part(budget, change.amount()));
        });
    return parts;
  }

  /** A clock that was stepped back is noted by whoever wanted something, even in vain. */
  private void noteSteps(Operation.Take take, long now) {
    for (Charge charge : take.charges()) {
      ModelBudget kept = account(charge.budget().key(), now);
      if (kept != null && now < kept.last && (charge.cost() > 0 || take.lease() > 0)) {
        kept.seen(now);
        charge.budget().lending().ifPresent(lending -> kept.lendingSeen(now, lending.ttl()));
      }
    }
  }

  private Outcome settle(String id, LongUnaryOperator actual, long now) {
    Ticket ticket = tickets.remove(id);
    if (ticket == null || now >= ticket.until) {
      return new Outcome.Settled(false, 0);
    }
    long back = ticket.granted - actual.applyAsLong(ticket.granted);
    for (Part part : ticket.parts) {
      Budget budget = part.budget;
      ModelBudget account = account(budget.key(), now);
      if (account == null && back < 0) {
        account = new ModelBudget(budget.version(), now, ModelLimitState.none(budget.limit(), now));
        accounts.put(budget.key(), account);
      }
      if (account != null) {
        settle(account, part, ticket, back, now);
      }
    }
    return new Outcome.Settled(true, back);
  }

  private void settle(ModelBudget account, Part part, Ticket ticket, long back, long now) {
    account.seen(now);
    account.last = now;
    if (back < 0) {
      account.used.charge(-back, now);
    } else if (back > 0
        && account.version == part.budget.version()
        && ticket.at > resets.getOrDefault(part.budget.key(), Long.MIN_VALUE)) {
      account.used.refund(Math.min(back, part.charged), part.charged, ticket.at, now);
    }
    if (ticket.isLease && !part.budget.shadow()) {
      long ttl = part.budget.lending().orElseThrow().ttl();
      account.lendingSeen(now, ttl);
      long window = Math.min(Math.floorDiv(ticket.at, ttl), Math.floorDiv(now, ttl));
      account.lent.computeIfPresent(window, (w, out) -> Math.max(0, out - ticket.granted));
    }
  }

  private Outcome reset(List<Budget> budgets, long now) {
    List<Budget> counted =
        budgets.stream().filter(b -> !(b.limit() instanceof Limit.Concurrency)).toList();
    OptionalLong stale = stale(counted, now);
    if (stale.isPresent()) {
      return new Outcome.Stale(stale.getAsLong());
    }
    List<Outcome.Standing> standings = new ArrayList<>();
    for (Budget budget : budgets) {
      if (budget.limit() instanceof Limit.Concurrency) {
        standings.add(slots.reset(budget, now));
      } else {
        long before = version(budget, now);
        ModelBudget next = view(budget, now);
        next.used = ModelLimitState.none(budget.limit(), now);
        accounts.put(budget.key(), next);
        resets.merge(budget.key(), now, Math::max);
        standings.add(new Outcome.Standing(budget.limit().size(), 0, false, before));
      }
    }
    return new Outcome.Done(standings);
  }
}
