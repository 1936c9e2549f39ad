/** A message that has machines exchange at once: `exchange:<from>:<ids>`, or `exchange:<from>:*` for all but the one that it is from. */
export const EXCHANGE_NOW = 'exchange';

/**
 * One exchange of a machine: enters its use, and returns its shares. The whole state is one value, so that an exchange is one
 * call with three commands in it, and is applied wholly or not at all. Times are those of the server.
 */
export const LIMITS_SCRIPT = `
local SHARES_MS, OWNER_MS, RECOVER_MS, KEEP_MS = 6000, 5000, 4000, 604800000
-- Less than this part of a limit can wait for the next exchange, unless it is half of what a machine should have.
local LEAST_PART = 1 / 16
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ask = cjson.decode(ARGV[1])
local me, use = ask.machine, ask.use
local stored = redis.call('GET', KEYS[1])
local state = stored and cjson.decode(stored)
  or { epoch = ask.nonce, machines = {}, spent = {}, accounts = {}, gone = {}, known = {}, left = {}, made = {}, number = 0, seenNumber = 0, base = 0, limits = {}, ends = {}, owner = '', ownerUntil = 0, recoverUntil = 0 }
-- The machines that are to exchange at once, each once until it does.
local isForAll, notified = false, {}
local function notify(name)
  local machine = state.machines[name]
  if name == me or not machine or machine.isNotified then return end
  machine.isNotified = true
  notified[#notified + 1] = name
end

-- What the machines remember of a state that was lost.
local seen = ask.seen
if seen and seen.epoch ~= state.epoch then
  state.recoverUntil = now + RECOVER_MS
  state.base = math.max(state.base, seen.base)
  -- The latest answer before the loss has what all machines had spent. Those that live report it themselves.
  if seen.number > state.seenNumber then
    state.seenNumber, state.gone, state.known = seen.number, seen.gone, seen.known
    state.number = math.max(state.number, seen.number)
  end
  for id, known in pairs(seen.limits) do
    if not state.limits[id] then state.limits[id] = { limit = known.limit, round = known.round, stoppedUntil = now + known.stoppedMs } end
  end
end
if ask.base then state.base = math.max(state.base, ask.base) end
for account, cost in pairs(ask.made or {}) do state.made[account] = math.max(state.made[account] or 0, cost) end

for id, machine in pairs(state.machines) do
  if machine.goodUntil < now then state.machines[id] = nil end
end
if ask.leave then
  state.machines[me] = nil
  state.left[me] = true
  if state.owner == me then state.owner = '' end
end

if ask.leave == nil and (state.owner == me or state.owner == '' or state.ownerUntil < now) then
  state.owner, state.ownerUntil = me, now + OWNER_MS
end
local isOwner = state.owner == me
if isOwner and ask.limits then
  for id, new in pairs(ask.limits) do
    local before = state.limits[id]
    if new.stoppedMs > 0 or not before or new.limit < before.limit or new.limit > before.limit * 1.25 then isForAll = true end
    state.limits[id] = { limit = new.limit, round = new.round, stoppedUntil = now + new.stoppedMs }
  end
end

local refused = {}
local function enter(id, part)
  local sum = state.ends[id] or { granted = {}, ends = {}, retryAfterMs = 0 }
  state.ends[id] = sum
  for round, count in pairs(part.granted) do sum.granted[round] = (sum.granted[round] or 0) + count end
  for round, ends in pairs(part.ends) do
    local known = sum.ends[round] or { answered = 0, refused = 0, lowest = 1 }
    sum.ends[round] = {
      answered = known.answered + ends.answered,
      refused = known.refused + ends.refused,
      lowest = math.min(known.lowest, ends.lowest),
    }
    if ends.refused > 0 then
      refused[id] = true
      notify(state.owner)
    end
  end
  sum.retryAfterMs = math.max(sum.retryAfterMs, part.retryAfterMs)
  if part.connectMs then sum.connectMs = math.min(sum.connectMs or part.connectMs, part.connectMs) end
end

if use then
  local machine = { goodUntil = now + SHARES_MS, uses = {}, mayCost = 0 }
  state.machines[me] = machine
  state.spent[me] = math.max(state.spent[me] or 0, use.spent)
  state.accounts[me] = ask.account or ''
  for id, part in pairs(use.resources) do
    enter(id, part)
    machine.uses[id] = {
      inFlight = part.inFlight,
      permits = part.permits,
      requestsPerMinute = part.requestsPerMinute,
      tokensPerMinute = part.tokensPerMinute,
    }
  end
end

local live = 0
for _ in pairs(state.machines) do live = live + 1 end

-- What machines hold of an amount, and what they should: everybody what they want, or an equal part of what is left.
local function claimsOf(total, id, kind)
  local claims, free = {}, total
  for name, machine in pairs(state.machines) do
    local part = machine.uses[id] and machine.uses[id][kind]
    if part then
      claims[#claims + 1] = { name = name, part = part, wanted = part.wanted }
      free = free - part.held
    end
  end
  table.sort(claims, function(a, b)
    if a.wanted ~= b.wanted then return a.wanted < b.wanted end
    return a.name < b.name
  end)
  local left = total
  for at, claim in ipairs(claims) do
    local part = left / (#claims - at + 1)
    if kind == 'permits' then part = math.floor(part) end
    claim.fair = math.min(claim.wanted, part)
    left = left - claim.fair
  end
  return claims, free
end

-- Notifies machines that may have more of what is free, and those with more than their part while this one lacks some.
local function notifyOthers(total, claims, free, mine)
  local least = math.max(1, total * LEAST_PART)
  local isShort = mine and mine.lacks >= math.min(least, mine.fair / 2)
  for _, claim in ipairs(claims) do
    local given, lacks = claim.part.given or 0, claim.fair - claim.part.held
    local isWorth = free >= least or (free >= 1 and lacks >= claim.fair / 2)
    if lacks > 0 and isWorth then notify(claim.name) end
    if isShort and given - claim.fair >= math.max(1, mine.lacks / (2 * #claims)) then notify(claim.name) end
  end
end

-- What others still hold is not given twice.
local function shareOf(total, id, kind)
  local mine, share = state.machines[me].uses[id][kind], 0
  local claims, free = claimsOf(total, id, kind)
  for _, claim in ipairs(claims) do
    if claim.name == me then share = claim.fair end
  end
  local fair = share
  share = math.min(share, math.max(0, free + mine.held))
  -- After a refusal nothing is sent more until the owner knows it. After a loss nothing is, until all machines have reported what they hold.
  local isFrozen = refused[id] or now < state.recoverUntil
  if isFrozen then share = math.min(share, mine.held) end
  free = free + mine.held
  mine.held = math.max(mine.held, share)
  mine.given = share
  if not isFrozen then notifyOthers(total, claims, free - mine.held, share < fair and { fair = fair, lacks = fair - share }) end
  return share
end

local function limitOf(id) return state.limits[id] and state.limits[id].limit or ask.first[id].limit end
if ask.leave then
  for id, first in pairs(ask.first) do
    for kind, total in pairs({ permits = limitOf(id), requestsPerMinute = first.requestsPerMinute, tokensPerMinute = first.tokensPerMinute }) do
      local claims, free = claimsOf(total, id, kind)
      notifyOthers(total, claims, free, nil)
    end
  end
end

local reply = { epoch = state.epoch, isOwner = isOwner, machines = live, resources = {}, mayCost = 0 }
-- An account is a run. Once it is over the folder knows what it has cost, whatever was lost here.
local sums, gone = {}, {}
for account, cost in pairs(state.gone) do sums[account], gone[account] = cost, cost end
local known, all = {}, {}
for id, one in pairs(state.known) do all[id] = { account = one.account, cost = one.cost } end
for id, cost in pairs(state.spent) do
  all[id] = { account = state.accounts[id], cost = math.max(cost, all[id] and all[id].cost or 0) }
end
for id, one in pairs(all) do
  sums[one.account] = (sums[one.account] or 0) + one.cost
  -- A machine that is silent may come back and report the same cost again.
  local mayReturn = state.machines[id] or (ask.maxCost and not state.left[id])
  if not mayReturn then gone[one.account] = (gone[one.account] or 0) + one.cost
  elseif ask.maxCost then known[id] = one end
end
for account, cost in pairs(state.made) do sums[account] = math.max(sums[account] or 0, cost) end
local spent = state.base
for _, cost in pairs(sums) do spent = spent + cost end
state.number = state.number + 1
reply.spent, reply.base, reply.gone, reply.known, reply.number = spent, state.base, gone, known, state.number

if use then
  local machine, wants = state.machines[me], false
  for id, part in pairs(use.resources) do
    local first, shared = ask.first[id], state.limits[id]
    local share = {
      limit = limitOf(id),
      round = shared and shared.round or 0,
      stoppedMs = shared and math.max(0, shared.stoppedUntil - now) or 0,
      isKnown = shared ~= nil,
    }
    share.permits = shareOf(share.limit, id, 'permits')
    if part.requestsPerMinute then share.requestsPerMinute = shareOf(first.requestsPerMinute, id, 'requestsPerMinute') end
    if part.tokensPerMinute then share.tokensPerMinute = shareOf(first.tokensPerMinute, id, 'tokensPerMinute') end
    reply.resources[id] = share
    if part.permits.wanted > 0 then wants = true end
  end
  if ask.maxCost then
    local free = ask.maxCost - spent
    for id, other in pairs(state.machines) do
      if id ~= me then free = free - math.max(0, other.mayCost - state.spent[id]) end
    end
    -- A block is half of an equal part: the other half is for machines that ask sooner.
    local block = wants and math.max(0, math.ceil(free / (2 * live))) or 0
    machine.mayCost = state.spent[me] + block
    reply.mayCost = machine.mayCost
    if spent >= ask.maxCost and not state.isSpent then isForAll, state.isSpent = true, true end
  end
end

if isOwner and use then
  reply.ends, reply.inFlight = state.ends, {}
  state.ends = {}
  for _, machine in pairs(state.machines) do
    for id, part in pairs(machine.uses) do reply.inFlight[id] = (reply.inFlight[id] or 0) + part.inFlight end
  end
end

if isForAll or #notified > 0 then
  redis.call('PUBLISH', KEYS[1], '${EXCHANGE_NOW}:' .. me .. ':' .. (isForAll and '*' or table.concat(notified, ',')))
end
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', KEEP_MS)
return cjson.encode(reply)
`;
