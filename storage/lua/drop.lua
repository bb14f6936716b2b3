-- End a turn that is not answered: nothing is remembered. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped  7 journal LIST
-- ARGV  1 group  2 fence  3 session  4 ttl
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local group, fence, session, ttl = unpack(ARGV)
local at = place(KEYS, session)

if redis.call('HGET', at.state, 'done') == fence then return 1 end
if not owns(at.state, fence) then return 0 end
redis.call('DEL', KEYS[7])
end_lease(at, group, fence)
next_turn(at, ttl)
return 1
