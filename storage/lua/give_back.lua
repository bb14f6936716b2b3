-- End a lease but not its turn: the head stays and is tried again. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped  7 due
-- ARGV  1 group  2 fence  3 session  4 delay in ms; 0 puts it in the queue at once
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local group, fence, session, delay = unpack(ARGV)
local at = place(KEYS, session)

if redis.call('HGET', at.state, 'done') == fence then return 1 end
if not owns(at.state, fence) then return 0 end
end_lease(at, group, fence)
if tonumber(delay) > 0 then
  redis.call('HSET', at.state, 's', 'delayed')
  redis.call('ZADD', KEYS[7], now_ms() + delay, session)
  free_slot(at)
else
  add_token(at.ready, at.state, session) -- it keeps its slot
end
return 1
