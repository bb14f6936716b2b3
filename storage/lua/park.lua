-- End a lease but not its turn: the head stays until it is woken, and holds nothing meanwhile.
-- States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped  7 parked
-- ARGV  1 group  2 fence  3 session
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local group, fence, session = unpack(ARGV)
local at = place(KEYS, session)

if redis.call('HGET', at.state, 'done') == fence then return 1 end
if not owns(at.state, fence) then return 0 end
end_lease(at, group, fence)
local now = redis.call('HMGET', at.state, 'head', 'woken', 'stop')
if now[2] == now[1] or now[3] == now[1] then
  add_token(at.ready, at.state, session) -- who would wake it has already been here
else
  redis.call('HSET', at.state, 's', 'parked')
  redis.call('HDEL', at.state, 'entry')
  redis.call('ZADD', KEYS[7], now_ms(), session)
  free_slot(at)
end
return 1
