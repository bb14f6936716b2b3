-- End a turn that is not answered: nothing is remembered. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 journal LIST
-- ARGV  1 group  2 fence  3 session  4 ttl
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local ready, state, inbox, items, journal = unpack(KEYS)
local group, fence, session, ttl = unpack(ARGV)

if redis.call('HGET', state, 'done') == fence then return 1 end
if not owns(state, fence) then return 0 end
redis.call('DEL', journal)
end_lease(ready, state, group, fence)
next_turn(ready, state, inbox, items, session, ttl)
return 1
