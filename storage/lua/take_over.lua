-- Queue again what workers of a lane hold but no longer beat. States: session.lua.
--
-- KEYS  1 ready  2 slots  3 capped  4 dead
-- ARGV  1 group  2 lease in ms  3, 4, 5 prefixes of state, inbox, items  6 ttl of an idle state
--       7 falls that a turn may have  8 why it is buried after more  9 most dead letters
--       10 their ttl  11.. workers known to be dead: no need to wait
-- Returns how many sessions were queued again, or lost their head to the dead letters
local ready, slots, capped, dead = unpack(KEYS)
local group, lease, states, inboxes, all_items, ttl, most_falls, why, most, dead_ttl = unpack(ARGV)

if redis.call('EXISTS', ready) == 0 then return 0 end
local moved = 0

local function retire(worker)
  if #redis.call('XPENDING', ready, group, '-', '+', 1, worker) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', ready, group, worker)
  end
end

local function begin_again(session)
  local at = place({ready, states .. session, inboxes .. session, all_items .. session,
                    slots, capped}, session)
  if redis.call('HINCRBY', at.state, 'falls', 1) > tonumber(most_falls) then
    keep_dead(at, dead, why, most, dead_ttl)
    next_turn(at, ttl)
  else
    add_token(ready, at.state, session) -- it keeps its slot
  end
  moved = moved + 1
end

local function requeue(pending)
  for _, held in ipairs(pending) do
    local entry, worker = held[1], held[2]
    local token = redis.call('XRANGE', ready, entry, entry)[1]
    drop_token(ready, group, entry)
    local session = token and token[2][2] or ''
    local now = redis.call('HMGET', states .. session, 's', 'entry')
    if now[1] == 'running' and now[2] == entry then begin_again(session) end
    retire(worker)
  end
end

local late = redis.pcall('XPENDING', ready, group, 'IDLE', lease, '-', '+', 1000)
if late.err then return 0 end -- no worker has come yet, so there is no group
requeue(late)
for i = 11, #ARGV do
  requeue(redis.call('XPENDING', ready, group, '-', '+', 1000, ARGV[i]))
  retire(ARGV[i])
end
return moved
