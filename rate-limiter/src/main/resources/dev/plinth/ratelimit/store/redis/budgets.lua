-- Applies a batch of requests to the budgets of one domain, one after the other, at one moment: what Budgets does in
-- Java, which is the place to read why. The tests hold the two, and a model, to the same outcomes.
--
-- KEYS     those of the budgets, in the order of `uses`, then the others, which requests name by their number there
-- ARGV[1]  packed: {time, terms, uses, requests}
--   time      in place of the server's, for tests; else 0
--   terms     what budgets are counted by: {kind, version, on change, shadow, most lent, ttl of a lease, text, a, b, c}
--   uses      of each budget, the number of its terms
--   requests  {kind, key of its id or 0, fingerprint, ...}, see the functions that take them
-- Answers with a flat list of integers, packed: the time, then each outcome as its kind and numbers; or, having done
-- nothing, with {-1, time} where a calendar's windows do not hold the time.
--
-- Tickets name the keys of budgets, and slots those of places, which are therefore not in KEYS; but they have the
-- domain's hash tag and so are in the same slot of a cluster.
--
-- All numbers are whole, and below 2^53, where doubles are exact; so are floor and ceil of their quotients, as these
-- never round across an integer. A number becomes text by %.0f: Lua's own way keeps only 14 digits.
--
-- A run begins with nothing, so every function below is made anew each time, at a price for each local that it uses.
-- What only some requests need is therefore made only if they are there.

local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local KEYS, call = KEYS, redis.call

local batch = cmsgpack.unpack(ARGV[1])
local now, terms, uses, requests = batch[1], batch[2], batch[3], batch[4]
if now == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local function text(n)
  return string.format('%.0f', n)
end

-- {from, to, from, to, ...}: the first window that holds the time.
local function window(bounds)
  for i = 1, #bounds, 2 do
    if bounds[i] <= now and now < bounds[i + 1] then
      return bounds[i], bounds[i + 1]
    end
  end
end

for i = 1, #terms do
  local t = terms[i]
  terms[i] = {
    kind = t[1], version = t[2], change = t[3], shadow = t[4] == 1, most = t[5], ttl = t[6],
    text = t[7], a = t[8], b = t[9], c = t[10],
  }
  if t[1] == 'c' then
    terms[i].from, terms[i].to = window(t[10])
    if not terms[i].from then
      return cmsgpack.pack({ -1, now })
    end
  end
end

-- Every key is read once, those of budgets all together, and written once, at the end.

local values = {}

for first = 1, #uses, 4000 do -- as many as fit on Lua's stack
  local found = call('MGET', unpack(KEYS, first, min(first + 3999, #uses)))
  for i = 1, #found do
    values[KEYS[first + i - 1]] = found[i]
  end
end

local LENT = 120000000 -- what was lent so long ago, twice the longest ttl, is not out any more
local SLACK = batch[1] == 0 and 0 or 600000000 -- Redis expires keys by its own time, not by that of a test
local answer, told = { now }, 1
local states, unwritten = {}, {}

-- States have kind, version, last (written), lw, lc, lp (lent), text (the limit's) and, by kind:
--   b bucket    a burst, b / c microseconds for a unit; full again at x + y / c
--   p paced     b / c microseconds for a unit; free again at x + y / c
--   f window    a limit, b period; used y in window x
--   c calendar  a limit, b unit and zone; used z from x to y
--   s counter   a limit, b period; used y in window x, z in the one before
--   l log       a limit, b period; times x and costs y, oldest first, and their sum z

local function parse(key, value, t)
  local kind, version, last, lent, rest = value:match('^v1 (%l) (%d+) (%-?%d+) (%-?%d+ %d+ %d+) (.+)$')
  local limit, x, y, z
  if kind == 'b' then
    limit, x, y = rest:match('^(%d+ %d+ %d+) (%-?%d+) (%d+)$')
  elseif kind == 'p' or kind == 'f' then
    limit, x, y = rest:match('^(%d+ %d+) (%-?%d+) (%d+)$')
  elseif kind == 's' then
    limit, x, y, z = rest:match('^(%d+ %d+) (%-?%d+) (%d+) (%d+)$')
  elseif kind == 'c' then
    limit, x, y, z = rest:match('^(%d+ %S+ %S+) (%-?%d+) (%-?%d+) (%d+)$')
  elseif kind == 'l' then
    limit, x = rest:match('^(%d+ %d+)(.*)$')
  end
  if not limit then
    error('CORRUPT ' .. key)
  end
  local s = {
    kind = kind, version = tonumber(version), last = tonumber(last), lw = 0, lc = 0, lp = 0,
    text = limit, a = t.a, b = t.b, c = t.c, x = tonumber(x), y = tonumber(y), z = z and tonumber(z),
  }
  if lent ~= '0 0 0' then
    local lw, lc, lp = lent:match('^(%S+) (%S+) (%S+)$')
    s.lw, s.lc, s.lp = tonumber(lw), tonumber(lc), tonumber(lp)
  end
  if limit ~= t.text or kind ~= t.kind then
    local a, b, c = limit:match('^(%d+) (%S+) ?(%S*)$')
    if kind == 'p' then
      a, b, c = 1, a, b
    end
    s.a, s.b, s.c = tonumber(a), tonumber(b), tonumber(c)
    if kind == 'c' then
      s.b = b .. ' ' .. c
    end
  end
  if kind == 'l' then
    s.x, s.y, s.z = {}, {}, 0
    for time, cost in x:gmatch('(%-?%d+) (%d+)') do
      local i = #s.x + 1
      s.x[i], s.y[i] = tonumber(time), tonumber(cost)
      s.z = s.z + s.y[i]
    end
  end
  return s
end

-- With the limit of terms, and nothing used.
local function fresh(t)
  local kind = t.kind
  local s = {
    kind = kind, version = t.version, last = now, lw = 0, lc = 0, lp = 0,
    text = t.text, a = t.a, b = t.b, c = t.c, x = now, y = 0, z = nil,
  }
  if kind == 'f' then
    s.x = floor(now / t.b)
  elseif kind == 'c' then
    s.x, s.y, s.z = t.from, t.to, 0
  elseif kind == 's' then
    s.x, s.z = floor(now / t.b), 0
  elseif kind == 'l' then
    s.x, s.y, s.z = {}, {}, 0
  end
  return s
end

-- To the windows of a time that is not before the last one; that of a calendar only with terms that know it, those of
-- its unit and zone.
local function advance(s, time, t)
  local kind = s.kind
  if kind == 'f' then
    local index = floor(time / s.b)
    if s.x ~= index then
      s.x, s.y = index, 0
    end
  elseif kind == 's' then
    local index = floor(time / s.b)
    if s.x ~= index then
      s.x, s.y, s.z = index, 0, s.x == index - 1 and s.y or 0
    end
  elseif kind == 'c' then
    local over = s.y <= time
    if over then
      s.z = 0
    end
    if (over or time < s.x) and t.b == s.b and t.from then
      s.x, s.y = t.from, t.to
    end
  elseif kind == 'l' then
    local gone = 0
    while s.x[gone + 1] and s.x[gone + 1] + s.b <= time do
      gone = gone + 1
      s.z = s.z - s.y[gone]
    end
    if gone > 0 then
      for i = 1, #s.x do
        s.x[i], s.y[i] = s.x[i + gone], s.y[i + gone]
      end
    end
  end
end

-- The clock was stepped back behind the last write: the state's times go back with it; those of a calendar only with
-- terms that know its window, which a ticket of long ago may not.
local function move_back(s, t)
  local kind, by = s.kind, now - s.last
  if kind == 'c' and not (t.b == s.b and t.from) then
    return
  end
  advance(s, s.last, t)
  if kind == 'b' or kind == 'p' then
    s.x = s.x + by
  elseif kind == 'c' then
    s.x, s.y = t.from, t.to
  elseif kind == 'l' then
    for i = 1, #s.x do
      s.x[i] = s.x[i] + by
    end
  else
    s.x = floor(now / s.b)
  end
  s.last, s.moved = now, true
end

-- Of a bucket: c-ths of a microsecond until all of it is back.
local function used(s)
  return s.x < now and 0 or (s.x - now) * s.c + s.y
end

local function available(s)
  local kind = s.kind
  if kind == 'b' then
    return floor((s.a * s.b - used(s)) / s.b)
  elseif kind == 'p' then
    return used(s) == 0 and 1 or 0
  elseif kind == 's' then
    local left = (s.x + 1) * s.b - now
    return floor((s.a * s.b - s.z * left) / s.b) - s.y
  end
  return s.a - (kind == 'f' and s.y or s.z)
end

-- Microseconds until all of it is available.
local function reset_in(s)
  local kind = s.kind
  if kind == 'b' or kind == 'p' then
    return ceil(used(s) / s.c)
  elseif kind == 'f' then
    return s.y == 0 and 0 or (s.x + 1) * s.b - now
  elseif kind == 'c' then
    return s.z == 0 and 0 or s.y - now
  elseif kind == 's' then
    local left = (s.x + 1) * s.b - now
    return s.y > 0 and left + s.b or s.z > 0 and left or 0
  end
  local last = #s.x
  return last == 0 and 0 or s.x[last] + s.b - now
end

-- Microseconds until a cost passes if nothing else comes; -1 if it never does.
local function retry_in(s, cost)
  local kind = s.kind
  if kind == 'p' then
    return ceil(used(s) / s.c)
  elseif cost > s.a then
    return -1
  elseif kind == 'b' then
    local missing = used(s) + (cost - s.a) * s.b
    return missing <= 0 and 0 or ceil(missing / s.c)
  elseif kind == 's' then
    -- When little enough of the window before counts; or else, in the next window, of this one.
    local left, bound = (s.x + 1) * s.b - now, s.a - cost
    if s.y <= bound then
      return s.z == 0 and 0 or max(0, left - floor((bound - s.y) * s.b / s.z))
    end
    return left + s.b - floor(bound * s.b / s.y)
  elseif cost <= available(s) then
    return 0
  elseif kind == 'f' then
    return (s.x + 1) * s.b - now
  elseif kind == 'c' then
    return s.y - now
  end
  local over, i = s.z + cost - s.a, 0
  while over > 0 do
    i = i + 1
    over = over - s.y[i]
  end
  return s.x[i] + s.b - now
end

-- Takes without asking. Debt stops growing where a time that far ahead would not be exact any more.
local function charge(s, amount)
  local kind, debt = s.kind, 2 ^ 52
  if amount == 0 then
    return
  elseif kind == 'b' or kind == 'p' then
    local u = used(s)
    u = amount > floor((debt - u) / s.b) and max(u, debt) or u + amount * s.b
    local whole = floor(u / s.c)
    s.x, s.y = now + whole, u - whole * s.c
  elseif kind == 'f' then
    s.y = min(s.y + amount, debt)
  elseif kind == 'c' then
    s.z = min(s.z + amount, debt)
  elseif kind == 's' then
    s.y = min(s.y + amount, floor((2 ^ 53 - 1) / s.b))
  else
    -- Only debt can need more entries than the limit: it joins the newest, which then lasts longer.
    local i = #s.x
    if i == 0 or s.x[i] ~= now and i < s.a then
      i = i + 1
      s.y[i] = 0
    end
    local cost = min(s.y[i] + amount, 2 ^ 42)
    s.z = s.z + cost - s.y[i]
    s.x[i], s.y[i] = now, cost
  end
end

-- What is there for a later version of the rule.
local function converted(s, t)
  local new = fresh(t)
  if t.change == 1 or s.kind ~= t.kind or t.kind == 'c' and s.b ~= t.b then -- begins anew
    return new
  elseif t.kind == 'p' then
    -- Free at the same time, the microsecond begun counted as whole.
    new.x = now + min(reset_in(s), floor(2 ^ 52 / t.c))
    return new
  end
  local left = available(s)
  if t.change == 0 then -- as it is
    left = min(t.a, left)
  elseif t.change == 3 then -- moves with the size
    left = min(t.a, left + t.a - s.a)
  elseif left > 0 then -- the same share; but a debt is not a share of anything
    local a, m, d = left, t.a, s.a
    left = floor(a * m / d)
    if a * m >= 2 ^ 53 then
      -- The same digit by digit, as the product is not exact.
      local rest, bit = 0, 2 ^ 52
      left = 0
      while bit >= 1 do
        rest = 2 * rest
        if m >= bit then
          m, rest = m - bit, rest + a
        end
        local more = floor(rest / d)
        left, rest = 2 * left + more, rest - more * d
        bit = bit / 2
      end
    end
  end
  charge(new, t.a - left)
  return new
end

-- The state that a key holds, as of now; nil if there is none that says anything.
local function stored(key, t)
  local s = states[key]
  if s == nil then
    local value = values[key]
    if value == nil then
      value = call('GET', key)
    end
    s = value and parse(key, value, t)
    states[key] = s
  end
  if not s then
    return nil
  end
  local back = now < s.last
  if back then
    move_back(s, t)
  end
  if s.kind ~= 'b' and s.kind ~= 'p' then
    advance(s, now, t)
  end
  if not (back or s.moved) and reset_in(s) == 0 and (s.lc + s.lp == 0 or now - s.last >= LENT) then
    return nil
  end
  return s
end

local function keep(key, s)
  s.last, s.moved = now, nil
  states[key] = s
  if not s.unwritten then
    s.unwritten = true
    unwritten[#unwritten + 1] = key
  end
end

-- What is lent in the window of now, and in the one before. A window of the future is the present one: the clock was
-- stepped back.
local function lent_at(index, lw, lc, lp)
  if index > lw then
    return index, 0, index == lw + 1 and lc or 0
  end
  return index, lc, lp
end

-- A budget while a request is decided: its state s under the terms t, and what is done to it. Nothing is kept before
-- write().
local function draft(number, cost)
  local key, t = KEYS[number], terms[uses[number]]
  local before = stored(key, t)
  local s = before
  if not before then
    s = fresh(t)
  elseif before.version < t.version then
    s = converted(before, t)
    s.lw, s.lc, s.lp = before.lw, before.lc, before.lp
  end
  local d = {
    key = key, t = t, before = before, s = s, version = before and before.version or 0,
    cost = cost, enforced = not t.shadow, room = 0, charged = 0, leased = 0, over = 0,
    lw = s.lw, lc = s.lc, lp = s.lp,
  }
  if t.ttl > 0 then
    d.lw, d.lc, d.lp = lent_at(floor(now / t.ttl), s.lw, s.lc, s.lp)
  end
  return d
end

-- Keeps what was charged; or that the clock was stepped back, lest the budget stand still until the clock is where it
-- was.
local function write(d)
  local s, version = d.s, d.t.version
  if d.charged == 0 then
    s, version = d.before, d.version
    if not s or not s.moved then
      return
    end
  end
  s.version, s.lw, s.lc, s.lp = version, d.lw, d.lc, d.lp
  keep(d.key, s)
end

local asked, remembers = {}, false
for i = 1, #requests do
  asked[requests[i][1]] = true
  remembers = remembers or requests[i][2] > 0
end

local operations = {}
local lifetimes, changed = {}, {} -- of keys that are not budgets'
local tell, tell_standing, tell_places, get, put, other

if remembers or not asked[1] or next(asked, next(asked)) or #KEYS > #uses then
  function tell(n)
    told = told + 1
    answer[told] = n
  end

  function tell_standing(d)
    tell(available(d.s))
    tell(reset_in(d.s))
    tell(d.over)
    tell(d.version)
  end

  -- False if there is none.
  function get(key)
    local value = values[key]
    if value == nil then
      value = call('GET', key)
      values[key] = value
    end
    return value
  end

  -- For so many microseconds; for ever if less than 0. False deletes.
  function put(key, value, lifetime)
    if not lifetimes[key] then
      changed[#changed + 1] = key
    end
    values[key] = value
    lifetimes[key] = lifetime or 0
  end

  function other(number)
    return KEYS[#uses + number]
  end
end

-- Redis deletes a key in the millisecond after, so none is gone before it means nothing.
local function millis(lifetime)
  return floor((lifetime + SLACK) / 1000) + 1
end

-- Of a budget's key: where it is noted that the budget was reset.
local function reset_key(key)
  return (key:gsub('}:b:', '}:x:', 1))
end

if asked[3] or asked[4] or asked[5] or asked[6] or asked[1] and #KEYS > #uses then
  -- Slots: those of a concurrency budget are a sorted set by when they run out; the key of each has its token, when it
  -- runs out, and the sets that it is in. Sets are written at once, unlike all else.
  local prefix = KEYS[1]:match('^[^}]*}:')
  local HOUR = 3600000000

  local function slot_at(key)
    local value = get(key)
    return value and cmsgpack.unpack(value) or nil
  end

  local function move_slot(key, id, slot, time)
    slot[2] = time
    for i = 3, #slot do
      local places = slot[i]
      call('ZADD', places, text(time), id)
      local last = call('ZREVRANGE', places, 0, 0, 'WITHSCORES')
      call('PEXPIRE', places, text(millis(last[2] - now)))
    end
    put(key, cmsgpack.pack(slot), time - now)
  end

  local function remove_slot(key, id, slot)
    for i = 3, #slot do
      call('ZREM', slot[i], id)
    end
    put(key, false)
  end

  -- Ends what ran out, in all of its sets; and nothing lasts longer than the longest, if the clock went back.
  local function tidy(places)
    local over = call('ZRANGEBYSCORE', places, '-inf', text(now))
    for i = 1, #over do
      local key = prefix .. 's:' .. over[i]
      local slot = slot_at(key)
      if slot and slot[2] <= now then
        remove_slot(key, over[i], slot)
      end
      call('ZREM', places, over[i])
    end
    local far = call('ZRANGEBYSCORE', places, '(' .. text(now + HOUR), '+inf')
    for i = 1, #far do
      local key = prefix .. 's:' .. far[i]
      local slot = slot_at(key)
      if slot then
        move_slot(key, far[i], slot, now + HOUR)
      else
        call('ZREM', places, far[i])
      end
    end
  end

  function tell_places(places, limit, over)
    tidy(places)
    local last = call('ZREVRANGE', places, 0, 0, 'WITHSCORES')
    tell(limit - call('ZCARD', places))
    tell(last[2] and last[2] - now or 0)
    tell(over)
    tell(0)
  end

  -- {3, id, fingerprint, budget, 0, ...}, or minus the places' key and the limit
  operations[3] = function(r)
    local drafts = {}
    for i = 4, #r, 2 do
      if r[i] > 0 then
        local d = draft(r[i], 0)
        if d.version > d.t.version then
          tell(2)
          tell(d.version)
          return
        end
        drafts[i] = d
      end
    end
    tell(4)
    tell((#r - 3) / 2)
    for i = 4, #r, 2 do
      local d = drafts[i]
      if d then
        d.s, d.charged = fresh(d.t), 1
        write(d)
        -- After a step back of the clock there may be tickets of times before the mark that is there.
        local mark = reset_key(d.key)
        local at = max(now, tonumber(get(mark) or now))
        put(mark, text(at), at - now + 2 * HOUR)
        tell_standing(d)
      else
        -- Ends every slot that has a place here: a slot is a place in all of its budgets.
        local places = other(-r[i])
        for _, id in ipairs(call('ZRANGE', places, 0, -1)) do
          local key = prefix .. 's:' .. id
          local slot = slot_at(key)
          if slot then
            remove_slot(key, id, slot)
          end
        end
        call('DEL', places)
        tell_places(places, r[i + 1], 0)
      end
    end
  end

  -- Whether it has not run out; nor did once, and its places went to others, before the clock was stepped back.
  local function is_held(slot, id)
    return slot and now < slot[2] and (not slot[3] or call('ZSCORE', slot[3], id)) and true or false
  end

  -- Whether it has a place in each; a shadow that was full has none.
  local function is_in(slot, r)
    local places = {}
    for i = 3, #slot do
      places[slot[i]] = true
    end
    for i = 8, #r, 3 do
      if r[i + 2] == 0 and not places[other(r[i])] then
        return false
      end
    end
    return true
  end

  -- {4, id, fingerprint, slot's key, slot, ttl, token's key, places, limit, shadow, ...}
  -- With a token it is the same request again, which was given that slot: it is renewed, or none if it is over.
  operations[4] = function(r, given)
    local key, id, till = other(r[4]), r[5], now + r[6]
    for i = 8, #r, 3 do
      tidy(other(r[i]))
    end
    local over, full, retry = {}, false, 0
    local slot = slot_at(key)
    local held = is_held(slot, id)
    if held and not given and not is_in(slot, r) then
      tell(7)
      return
    end
    if held and (not given or slot[1] == given) then
      move_slot(key, id, slot, till)
    elseif given then
      slot = nil
    else
      for i = 8, #r, 3 do
        local places, limit = other(r[i]), r[i + 1]
        local taken = call('ZCARD', places)
        if taken >= limit then
          over[i] = true
          if r[i + 2] == 0 then
            full = true
            -- More than one must run out if the limit was lowered.
            local first = call('ZRANGE', places, taken - limit, taken - limit, 'WITHSCORES')
            retry = max(retry, first[2] - now)
          end
        end
      end
      if full then
        slot = nil
      else
        if slot then
          remove_slot(key, id, slot)
        end
        -- Above all before it, even if Redis has lost them: it is not below the time.
        local last = get(other(r[7]))
        local token = max(now, (tonumber(last) or 0) + 1)
        put(other(r[7]), text(token), -1)
        slot = { token, till }
        for i = 8, #r, 3 do
          if not over[i] then
            slot[#slot + 1] = other(r[i])
          end
        end
        move_slot(key, id, slot, till)
      end
    end
    tell(5)
    tell(slot and 1 or 0)
    tell(slot and slot[1] or 0)
    tell(retry)
    tell((#r - 7) / 3)
    for i = 8, #r, 3 do
      -- A shadow is over only for a slot that the others gave.
      tell_places(other(r[i]), r[i + 1], over[i] and (r[i + 2] == 0 or slot) and 1 or 0)
    end
  end

  -- {5, id, fingerprint, slot's key, slot, ttl}
  operations[5] = function(r)
    local slot = slot_at(other(r[4]))
    local held = is_held(slot, r[5])
    if held then
      move_slot(other(r[4]), r[5], slot, now + r[6])
    end
    tell(6)
    tell(held and 1 or 0)
  end

  -- {6, id, fingerprint, slot's key, slot}
  operations[6] = function(r)
    local slot = slot_at(other(r[4]))
    tell(6)
    tell(is_held(slot, r[5]) and 1 or 0)
    if slot then
      remove_slot(other(r[4]), r[5], slot)
    end
  end
end

if asked[2] or asked[7] then
  -- Gives back of what was charged at a time, as far as it still counts and has not refilled since.
  local function refund(s, amount, charged, at)
    local kind = s.kind
    if kind == 'b' or kind == 'p' then
      local most = min(charged * s.b, 2 ^ 52)
      if now > at then
        most = now - at >= ceil(most / s.c) and 0 or most - (now - at) * s.c
      end
      local u = max(0, used(s) - min(amount * s.b, most))
      local whole = floor(u / s.c)
      s.x, s.y = now + whole, u - whole * s.c
    elseif kind == 'f' then
      if at >= s.x * s.b then
        s.y = max(0, s.y - amount)
      end
    elseif kind == 'c' then
      if at >= s.x then
        s.z = max(0, s.z - amount)
      end
    elseif kind == 's' then
      local index = floor(at / s.b)
      if index >= s.x then
        s.y = max(0, s.y - amount)
      elseif index == s.x - 1 then
        s.z = max(0, s.z - amount)
      end
    else
      -- From what was charged then or before: what came later must count for its whole time.
      for i = #s.x, 1, -1 do
        if amount > 0 and s.x[i] <= at then
          local part = min(amount, s.y[i])
          amount, s.y[i], s.z = amount - part, s.y[i] - part, s.z - part
          if s.y[i] == 0 then
            table.remove(s.x, i)
            table.remove(s.y, i)
          end
        end
      end
    end
  end

  -- Else the reset has given all of it back before.
  local function is_since_reset(key, at)
    local mark = get(reset_key(key))
    return not mark or at > tonumber(mark)
  end

  -- {2, id, fingerprint, ticket, actual}, or {7, id, fingerprint, ticket, unused}
  operations[2] = function(r)
    local key = other(r[4])
    local value = get(key)
    local ticket = value and cmsgpack.unpack(value)
    tell(3)
    if value then
      put(key, false)
    end
    if not value or now >= ticket[3] then
      tell(0)
      tell(0)
      return
    end
    local granted, at = ticket[1], ticket[2]
    local less = r[1] == 7 and min(granted, r[5]) or granted - r[5]
    for i = 4, #ticket do
      local p = ticket[i]
      local part, ttl = p[2], p[3]
      local t = { kind = p[4], version = p[5], text = p[6], a = p[7], b = p[8], c = p[9] }
      if t.kind == 'c' then
        t.from, t.to = window(t.c)
      end
      local s = stored(p[1], t)
      -- Without a state all of it came back meanwhile; more is charged to a new one.
      if s or less < 0 and (t.kind ~= 'c' or t.from) then
        s = s or fresh(t)
        if less < 0 then
          charge(s, -less)
        elseif less > 0 and s.version == t.version and is_since_reset(p[1], at) then
          refund(s, min(less, part), part, at)
        end
        if ttl > 0 then
          s.lw, s.lc, s.lp = lent_at(floor(now / ttl), s.lw, s.lc, s.lp)
          local index = floor(at / ttl)
          if index >= s.lw then
            s.lc = max(0, s.lc - granted)
          elseif index == s.lw - 1 then
            s.lp = max(0, s.lp - granted)
          end
        end
        keep(p[1], s)
      end
    end
    tell(1)
    tell(less)
  end

  operations[7] = operations[2]
end

-- {1, id, fingerprint, count, partial, wait, lease, ticket or 0, its ttl, budget, cost, ...}; a cost that is charged
-- when denied, too, is negative. Of a concurrency limit, which is only looked at, minus its places' key and its limit.
local function take(r)
  local count, partial, wait, lease = r[4], r[5] == 1, r[6], r[7]
  local drafts, many = {}, 0
  for i = 10, #r, 2 do
    if r[i] > 0 then
      local cost = r[i + 1]
      local d = draft(r[i], cost < 0 and -cost or cost)
      d.always = cost < 0
      if d.version > d.t.version then
        answer[told + 1], answer[told + 2] = 2, d.version
        told = told + 2
        return
      end
      many = many + 1
      drafts[many] = d
    end
  end

  -- How many are admitted, and of what cost.
  local admitted, delay = count, 0
  if partial then
    local least = math.huge
    for i = 1, many do
      local d = drafts[i]
      if d.enforced and d.cost > 0 then
        least = min(least, available(d.s))
      end
    end
    admitted = least > 0 and 1 or 0
    for i = 1, many do
      drafts[i].cost = min(drafts[i].cost, max(1, least))
    end
  end
  for i = 1, many do
    local d = drafts[i]
    if d.cost > 0 then
      local s = d.s
      local kind = s.kind
      local alone = 0
      if count == 1 then
        -- Only buckets have a future to wait for.
        alone = retry_in(s, d.cost)
        d.room = (alone == 0 or alone > 0 and alone <= wait and (kind == 'b' or kind == 'p')) and 1 or 0
      elseif kind == 'p' then
        d.room = available(s)
      else
        d.room = floor(max(0, available(s)) / d.cost)
      end
      if d.enforced and not partial then
        admitted = min(admitted, d.room)
        delay = max(delay, alone)
      end
    end
  end

  local granted, leased, retry = 0, 0, 0
  for i = 1, many do
    local d = drafts[i]
    if d.cost > 0 and (admitted > 0 or d.always) then
      granted = admitted > 0 and max(granted, d.cost) or 0
      local room = (d.always or not d.enforced) and d.room or admitted
      d.charged = (d.always and count or min(admitted, room)) * d.cost
      d.over = room < (d.always and d.enforced and count or admitted) and 1 or 0
      charge(d.s, d.charged)
    end
  end
  if admitted == 0 then
    delay = 0
  end

  if admitted < count then
    -- When the next would pass, and whose fault it is that it does not.
    for i = 1, many do
      local d = drafts[i]
      if d.enforced and d.cost > 0 then
        local alone = retry_in(d.s, d.cost)
        local waits = alone > 0 and alone <= wait and (d.s.kind == 'b' or d.s.kind == 'p')
        if alone ~= 0 and not waits then
          d.over = d.always and d.over or 1
          retry = (retry < 0 or alone < 0) and -1 or max(retry, alone)
        end
      end
    end
  elseif lease > 0 then
    local any = false
    leased = lease
    for i = 1, many do
      local d = drafts[i]
      if d.enforced then
        any = true
        leased = min(leased, d.t.ttl > 0 and d.t.most - d.lc - d.lp or 0, floor(available(d.s) / 2))
      end
    end
    leased = any and max(0, leased) or 0
    for i = 1, leased > 0 and many or 0 do
      local d = drafts[i]
      if d.enforced then
        d.leased = leased
        d.lc = d.lc + leased
      else
        d.leased = max(0, min(leased, available(d.s)))
      end
      d.charged = d.charged + d.leased
      charge(d.s, d.leased)
    end
  end

  local amount = lease > 0 and leased or granted
  if r[8] > 0 and amount > 0 then
    local ticket = { amount, now, now + delay + r[9] }
    for i = 1, many do
      local d = drafts[i]
      local t, part = d.t, lease > 0 and d.leased or d.charged
      if part > 0 then
        local ttl = lease > 0 and d.enforced and t.ttl or 0
        ticket[#ticket + 1] = { d.key, part, ttl, t.kind, t.version, t.text, t.a, t.b, t.c }
      end
    end
    put(other(r[8]), cmsgpack.pack(ticket), delay + r[9])
  end

  local n = told
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] = 1, admitted, granted, leased
  answer[n + 5], answer[n + 6], answer[n + 7] = delay, retry, (#r - 9) / 2
  told = n + 7
  local number = 0
  for i = 10, #r, 2 do
    if r[i] > 0 then
      number = number + 1
      local d = drafts[number]
      if d.cost > 0 or lease > 0 then
        write(d)
      end
      n = told
      answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] =
        available(d.s), reset_in(d.s), d.over, d.version
      told = n + 4
    else
      tell_places(other(-r[i]), r[i + 1], 0)
    end
  end
end

operations[1] = take

for i = 1, #requests do
  local r = requests[i]
  local operation = operations[r[1]]
  if r[2] == 0 then
    operation(r)
  else
    local key = other(r[2])
    local value = get(key)
    local before = value and cmsgpack.unpack(value)
    if before and now < before[1] then
      if before[2] == r[3] and r[1] == 4 and before[3] == 5 and before[4] == 1 then
        operation(r, before[5]) -- the slot may be over by now, or nearly
      elseif before[2] == r[3] then
        for j = 3, #before do
          tell(before[j])
        end
      else
        tell(7)
      end
    else
      local first = told + 1
      operation(r)
      if answer[first] ~= 2 and answer[first] ~= 7 then -- else nothing was done, it may be asked again
        local remembered = 600000000
        local kept = { now + remembered, r[3] }
        for j = first, told do -- unpack fails above 8000 numbers: 2000 budgets
          kept[j - first + 3] = answer[j]
        end
        put(key, cmsgpack.pack(kept), remembered)
      end
    end
  end
end

local NOW = #unwritten > 0 and text(now)
for i = 1, #unwritten do
  local key = unwritten[i]
  local s = states[key]
  local lent = '0 0 0'
  if s.lw ~= 0 then
    lent = text(s.lw) .. ' ' .. text(s.lc) .. ' ' .. text(s.lp)
  end
  local head = 'v1 ' .. s.kind .. ' ' .. text(s.version) .. ' ' .. NOW .. ' ' .. lent .. ' ' .. s.text
  if s.kind == 'l' then
    local words = { head }
    for j = 1, #s.x do
      words[j + 1] = text(s.x[j]) .. ' ' .. text(s.y[j])
    end
    head = table.concat(words, ' ')
  else
    head = head .. ' ' .. text(s.x) .. ' ' .. (s.y == 0 and '0' or text(s.y))
    if s.z then
      head = head .. ' ' .. text(s.z)
    end
  end
  local lifetime = reset_in(s)
  if s.lc + s.lp > 0 then
    lifetime = max(lifetime, LENT)
  end
  call('SET', key, head, 'PX', millis(lifetime))
end
for i = 1, #changed do
  local key = changed[i]
  local value, lifetime = values[key], lifetimes[key]
  if not value then
    call('DEL', key)
  elseif lifetime < 0 then
    call('SET', key, value)
  else
    call('SET', key, value, 'PX', millis(lifetime))
  end
end

return cmsgpack.pack(answer)
