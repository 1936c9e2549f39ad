/**
 * One exchange of a machine: enters its use, and returns its shares. The whole state is one value, so that an exchange is one
 * call with three commands in it, and is applied wholly or not at all. Times are those of the server.
 */
export const LIMITS_SCRIPT = `
local SHARES_MS, OWNER_MS, RECOVER_MS, KEEP_MS = 6000, 5000, 2500, 604800000
-- Machines that wait for permits of others ask them at most this often, and those that return some tell it.
local SHORT_MS, RETURN_MS = 1000, 200
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ask = cjson.decode(ARGV[1])
local me, use = ask.machine, ask.use
local stored = redis.call('GET', KEYS[1])
local state = stored and cjson.decode(stored)
  or { epoch = ask.nonce, machines = {}, spent = {}, accounts = {}, gone = {}, known = {}, made = {}, number = 0, seenNumber = 0, base = 0, laws = {}, ends = {}, owner = '', ownerUntil = 0, recoverUntil = 0, hurriedAt = 0 }
local hurry = false

-- What the machines remember of a state that was lost.
local seen = ask.seen
if seen and seen.epoch ~= state.epoch then
  state.recoverUntil = now + RECOVER_MS
  state.base = math.max(state.base, seen.base)
  -- The latest answer before the loss tells what all machines had spent; those that live tell it themselves.
  if seen.number > state.seenNumber then
    state.seenNumber, state.gone, state.known = seen.number, seen.gone, seen.known
    state.number = math.max(state.number, seen.number)
  end
  for id, law in pairs(seen.laws) do
    if not state.laws[id] then state.laws[id] = { limit = law.limit, round = law.round, stoppedUntil = now + law.stoppedMs } end
  end
end
if ask.base then state.base = math.max(state.base, ask.base) end
for account, cost in pairs(ask.made or {}) do state.made[account] = math.max(state.made[account] or 0, cost) end

for id, machine in pairs(state.machines) do
  if machine.goodUntil < now then state.machines[id] = nil end
end
if ask.leave then
  state.machines[me] = nil
  if state.owner == me then state.owner = '' end
  hurry = true
end

if ask.leave == nil and (state.owner == me or state.owner == '' or state.ownerUntil < now) then
  state.owner, state.ownerUntil = me, now + OWNER_MS
end
local isOwner = state.owner == me
if isOwner and ask.laws then
  for id, law in pairs(ask.laws) do
    local before = state.laws[id]
    if law.stoppedMs > 0 or not before or law.limit < before.limit or law.limit > before.limit * 1.25 then hurry = true end
    state.laws[id] = { limit = law.limit, round = law.round, stoppedUntil = now + law.stoppedMs }
  end
end

local refused = {}
local returned = {}
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
      if not isOwner then hurry = true end
    end
  end
  sum.retryAfterMs = math.max(sum.retryAfterMs, part.retryAfterMs)
  if part.connectMs then sum.connectMs = math.min(sum.connectMs or part.connectMs, part.connectMs) end
end

if use then
  local machine = { goodUntil = now + SHARES_MS, uses = {}, mayCost = 0 }
  local before = state.machines[me]
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
    local old = before and before.uses[id]
    if old and old.permits.held > part.permits.held then returned[id] = true end
  end
end

local live = 0
for _ in pairs(state.machines) do live = live + 1 end

-- Everybody gets what they want, or an equal part of what is left; what others still hold is not given twice.
local function shareOf(total, id, kind)
  local mine = state.machines[me].uses[id][kind]
  local claims, others = {}, 0
  for name, machine in pairs(state.machines) do
    local part = machine.uses[id] and machine.uses[id][kind]
    if part then
      claims[#claims + 1] = { name = name, wanted = part.wanted }
      if name ~= me then
        others = others + part.held
        if returned[id] and part.wanted > part.held and now - state.hurriedAt > RETURN_MS then hurry = true end
      end
    end
  end
  table.sort(claims, function(a, b)
    if a.wanted ~= b.wanted then return a.wanted < b.wanted end
    return a.name < b.name
  end)
  local left, share = total, 0
  for at, claim in ipairs(claims) do
    local part = left / (#claims - at + 1)
    if kind == 'permits' then part = math.floor(part) end
    local given = math.min(claim.wanted, part)
    left = left - given
    if claim.name == me then share = given end
  end
  local free = math.max(0, total - others)
  if share > free and now - state.hurriedAt > SHORT_MS then hurry = true end
  share = math.min(share, free)
  -- After a refusal nothing is sent more until the owner knows it; after a loss, until all machines have told what they hold.
  if refused[id] or now < state.recoverUntil then share = math.min(share, mine.held) end
  mine.held = math.max(mine.held, share)
  return share
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
  if not state.machines[id] then gone[one.account] = (gone[one.account] or 0) + one.cost
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
    local first, law = ask.first[id], state.laws[id]
    local share = {
      limit = law and law.limit or first.limit,
      round = law and law.round or 0,
      stoppedMs = law and math.max(0, law.stoppedUntil - now) or 0,
      isKnown = law ~= nil,
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
    if spent >= ask.maxCost and not state.isSpent then hurry, state.isSpent = true, true end
  end
end

if isOwner and use then
  reply.ends, reply.inFlight = state.ends, {}
  state.ends = {}
  for _, machine in pairs(state.machines) do
    for id, part in pairs(machine.uses) do reply.inFlight[id] = (reply.inFlight[id] or 0) + part.inFlight end
  end
end

if hurry then
  state.hurriedAt = now
  redis.call('PUBLISH', KEYS[1], me)
end
redis.call('SET', KEYS[1], cjson.encode(state), 'PX', KEEP_MS)
return cjson.encode(reply)
`;
