package dev.plinth.ratelimit.model;

import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import dev.plinth.ratelimit.store.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** One check of a take, on copies of its budgets. */
final class ModelTake {
  /** A budget with an amount taken of it. */
  record Charged(ModelBudget account, long amount) {}

  private final Operation.Take take;
  private final boolean[] over;
  private final long now;
  private List<ModelBudget> views = List.of();

  ModelTake(Operation.Take take, boolean[] over, long now) {
    this.take = take;
    this.over = over;
    this.now = now;
  }

  void views(Function<Budget, ModelBudget> view) {
    views = take.charges().stream().map(Charge::budget).map(view).toList();
  }

  private Budget budget(int i) {
    return take.charges().get(i).budget();
  }

  private boolean isAsked(int i) {
    return !budget(i).shadow() && take.charges().get(i).cost() > 0;
  }

  /** What the check takes: its cost, or where a part will do as much as there is. */
  private long cost(int i) {
    long cost = take.charges().get(i).cost();
    return take.partial() ? Math.min(cost, part) : cost;
  }

  private long part;
  private long delay;

  boolean isAdmitted() {
    part = Long.MAX_VALUE;
    for (int i = 0; i < views.size(); i++) {
      part = isAsked(i) ? Math.min(part, views.get(i).used.available(now)) : part;
    }
    part = Math.max(1, part);
    boolean all = true;
    for (int i = 0; i < views.size(); i++) {
      if (isAsked(i) && !passes(i)) {
        all = false;
        over[i] = true;
      }
    }
    return all;
  }

  private boolean passes(int i) {
    ModelLimitState used = views.get(i).used;
    boolean canReserve = used instanceof ModelTokenBucket || used instanceof ModelPaced;
    long wait = used.retry(cost(i), now);
    return wait == 0 || (wait > 0 && canReserve && wait <= take.maxWait());
  }

  Map<Budget, Charged> charge() {
    Map<Budget, Charged> charged = new LinkedHashMap<>();
    for (int i = 0; i < views.size(); i++) {
      if (cost(i) > 0 && passes(i)) {
        delay = isAsked(i) ? Math.max(delay, views.get(i).used.retry(cost(i), now)) : delay;
        views.get(i).used.charge(cost(i), now);
        charged.put(budget(i), new Charged(views.get(i), cost(i)));
      } else if (cost(i) > 0) {
        over[i] = true;
        if (take.charges().get(i).always()) {
          views.get(i).used.charge(cost(i), now);
          charged.put(budget(i), new Charged(views.get(i), cost(i)));
        }
      }
    }
    return charged;
  }

  /** Of a check that was denied, what is charged all the same. */
  Map<Budget, Charged> chargeDenied() {
    Map<Budget, Charged> charged = new LinkedHashMap<>();
    for (int i = 0; i < views.size(); i++) {
      if (cost(i) > 0 && take.charges().get(i).always()) {
        views.get(i).used.charge(cost(i), now);
        charged.put(budget(i), new Charged(views.get(i), cost(i)));
      }
    }
    return charged;
  }

  long granted() {
    long most = 0;
    for (int i = 0; i < views.size(); i++) {
      most = Math.max(most, cost(i));
    }
    return most;
  }

  long delay() {
    return delay;
  }

  /** Of the check that was not admitted: when the last budget that stands in its way has room. */
  long retry() {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < views.size(); i++) {
      if (isAsked(i) && !passes(i)) {
        waits.add(views.get(i).used.retry(cost(i), now));
      }
    }
    return waits.contains(Outcome.NEVER)
        ? Outcome.NEVER
        : waits.stream().max(Long::compare).orElseThrow();
  }

  long leasable() {
    long most = 0;
    boolean first = true;
    for (int i = 0; i < views.size(); i++) {
      if (!budget(i).shadow()) {
        if (budget(i).lending().isEmpty()) {
          return 0;
        }
        Budget.Lending lending = budget(i).lending().get();
        long half = Math.floorDiv(views.get(i).used.available(now), 2);
        long room = lending.max() - views.get(i).out(now, lending.ttl());
        long here = Math.min(take.lease(), Math.min(half, room));
        most = first ? here : Math.min(most, here);
        first = false;
      }
    }
    return Math.max(0, most);
  }

  Map<Budget, Charged> lend(long amount) {
    Map<Budget, Charged> charged = new LinkedHashMap<>();
    for (int i = 0; amount > 0 && i < views.size(); i++) {
      ModelBudget view = views.get(i);
      long taken = amount;
      if (budget(i).shadow()) {
        taken = Math.min(amount, Math.max(0, view.used.available(now)));
      } else {
        long ttl = budget(i).lending().orElseThrow().ttl();
        view.lent.merge(Math.floorDiv(now, ttl), amount, Long::sum);
      }
      if (taken > 0) {
        view.used.charge(taken, now);
        charged.put(budget(i), new Charged(view, taken));
      }
    }
    return charged;
  }
}
