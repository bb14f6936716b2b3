-- Queue again what workers of a lane hold but no longer beat. States: session.lua.
--
-- KEYS  1 ready
-- ARGV  1 group  2 lease in ms  3 prefix of state  4.. workers known to be dead: no need to wait
-- Returns how many sessions were queued again
local ready = KEYS[1]
local group, lease, states = unpack(ARGV)

if redis.call('EXISTS', ready) == 0 then return 0 end
local moved = 0

local function retire(worker)
  if #redis.call('XPENDING', ready, group, '-', '+', 1, worker) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', ready, group, worker)
  end
end

local function requeue(pending)
  for _, held in ipairs(pending) do
    local entry, worker = held[1], held[2]
    local token = redis.call('XRANGE', ready, entry, entry)[1]
    drop_token(ready, group, entry)
    local session = token and token[2][2] or ''
    local now = redis.call('HMGET', states .. session, 's', 'entry')
    if now[1] == 'running' and now[2] == entry then
      add_token(ready, states .. session, session)
      moved = moved + 1
    end
    retire(worker)
  end
end

local late = redis.pcall('XPENDING', ready, group, 'IDLE', lease, '-', '+', 1000)
if late.err then return 0 end -- no worker has come yet, so there is no group
requeue(late)
for i = 4, #ARGV do
  requeue(redis.call('XPENDING', ready, group, '-', '+', 1000, ARGV[i]))
  retire(ARGV[i])
end
return moved
