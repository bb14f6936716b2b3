-- End a lease but not its turn: the head stays and is tried again. States: session.lua.
--
-- KEYS  1 ready  2 state  3 due ZSET session -> ms
-- ARGV  1 group  2 fence  3 session  4 delay in ms; 0 puts it in the queue at once
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local ready, state, due = unpack(KEYS)
local group, fence, session, delay = unpack(ARGV)

if redis.call('HGET', state, 'done') == fence then return 1 end
if not owns(state, fence) then return 0 end
end_lease(ready, state, group, fence)
if tonumber(delay) > 0 then
  redis.call('HSET', state, 's', 'delayed')
  redis.call('ZADD', due, now_ms() + delay, session)
else
  add_token(ready, state, session)
end
return 1
